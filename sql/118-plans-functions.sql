-- The functions of 018-plans.sql.

select define_actor_table('plans');
