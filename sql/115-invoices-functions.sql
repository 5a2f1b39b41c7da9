-- The functions of 015-invoices.sql.

select define_actor_table('invoices');

-- Called in the commit that opens a payment for an invoice. Refuses it when nothing of the invoice can be due any more, and while
-- another commit is changing the invoice: then the payment is planned again. It does not wait, as in join_plan(). The lock keeps
-- the invoice as it is until this commit ends, so the job that cancels the payments of a settled invoice finds this one.
create function join_invoice(record uuid, given json) returns void language plpgsql as $$
declare
  its_state text;
begin
  select state into its_state from invoices where id = (given->>'invoice')::uuid for share skip locked;
  if not found then
    raise exception 'the invoice is being changed' using errcode = 'check_violation', constraint = 'invoice_unlocked';
  end if;
  if its_state not in ('draft', 'open', 'uncollectible') then
    raise exception 'the invoice is settled' using errcode = 'check_violation', constraint = 'invoice_unsettled';
  end if;
end $$;

-- Hides the parties of the invoices of customers that are being erased. Rows are locked in id order, as in commits.
-- Their rev stays, as in erase_payments(): it counts the entries of the history, and 10,000 more of them would not fit in the
-- first commit. All reads have the mark from this commit on; a page that is open shows the party until it is loaded again. A
-- command that was decided before conflicts, because another transaction has written its row.
create function erase_invoices(customers uuid[], now_at timestamptz) returns void language sql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  update invoices i set customer_erased = true,
    updated_at = case when test_clock_id is null then now_at else updated_at end
  from (
    select id from invoices
    where customer_id = any(customers) and state <> 'deleted' and not customer_erased
    order by id
    for no key update) found
  where i.id = found.id
$$;

-- Deletes the parties of erased customers whose time is over, and the stored documents that show them: of at most `most`
-- invoices, and as many documents. An invoice with more documents, because it has credit notes, is finished by the next call.
-- The documents can still be rendered, without the party. Invoices that another transaction has locked are left for the next
-- call.
create function remove_expired_parties(most integer) returns table (invoices integer, documents integer)
language plpgsql as $$
#variable_conflict use_column
declare
  due uuid[] := array(
    select id from invoices
    where customer_erased and customer is not null and retained_until < now()
    order by retained_until
    limit most
    for no key update skip locked);
begin
  -- Separate statements, for a snapshot after the locks: a document may have been stored in between.
  delete from invoice_documents
  where ctid = any(array(select ctid from invoice_documents where invoice_id = any(due) limit most));
  get diagnostics documents = row_count;
  update invoices i set customer = null, party_salt = null,
    updated_at = case when test_clock_id is null then now() else updated_at end
  where id = any(due) and not exists (select from invoice_documents d where d.invoice_id = i.id);
  get diagnostics invoices = row_count;
  return next;
end $$;
