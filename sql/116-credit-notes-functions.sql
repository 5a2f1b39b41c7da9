-- The functions of 016-credit-notes.sql.

select define_actor_table('credit_notes');
