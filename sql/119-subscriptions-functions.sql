-- The functions of 019-subscriptions.sql.

select define_actor_table('subscriptions');
