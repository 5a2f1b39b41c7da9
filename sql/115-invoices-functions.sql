-- The functions of 015-invoices.sql.

select define_actor_table('invoices');
