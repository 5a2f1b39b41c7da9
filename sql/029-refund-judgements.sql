-- What people have said of the transactions of refunds where their chain could not: `why` they were asked. It comes in the
-- commit that tells the refund, whose revision it is.
create table refund_judgements (
  refund_id uuid not null,
  rev integer not null,
  -- `stray_transfer`: it had failed, and its transaction had moved money all the same.
  why text not null constraint refund_judgements_why check (
    why in ('nodes_disagree', 'balance_unknown', 'balance_unclear', 'possibly_earlier', 'number_unclear', 'stray_transfer')
  ),
  primary key (refund_id, rev)
);
select define_commit_rows('refund_judgements');

-- Numbers that the chain has used, nobody could show by what, are over with their refund: it may be signed again.
create function close_unclear_numbers() returns trigger language plpgsql as $$
begin
  perform close_nonce(
    n.signer_id, n.nonce, case when new.failure_reason in ('unproven', 'dropped') then 'dropped' else 'mined' end, null)
  from signer_nonces n join unclear_nonces u using (signer_id, nonce)
  where n.refund_id = new.id and n.state = 'open';
  return null;
end $$;
create trigger refunds_close_unclear_numbers after update on refunds
for each row when (old.state = 'processing' and new.state in ('processed', 'failed'))
execute function close_unclear_numbers();
