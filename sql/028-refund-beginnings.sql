-- How far the books of its chain were when a refund was asked for: what is mined in a block up to there was for something
-- else. Blocks are compared, because the clocks of chains and of houses need not agree. None where the books had not begun.
create table refund_beginnings (
  refund_id uuid primary key,
  final_number bigint not null,
  -- Above the final one a reorganisation may have mined anew, and lower, what was sent since.
  head_number bigint not null,
  -- Another one of the sandbox's chains counts otherwise.
  epoch text
);

create function keep_refund_beginning() returns trigger language plpgsql as $$
begin
  insert into refund_beginnings (refund_id, final_number, head_number, epoch)
  select new.id, c.final_number, c.number, c.epoch from chain_cursors c where c.chain_id = new.chain_id;
  return null;
end $$;
create trigger refunds_keep_their_beginning after insert on refunds
for each row execute function keep_refund_beginning();

-- As far as it says anything of a transaction: what a signer of ours has signed for the refund is later, wherever it is.
create function beginning_before(refund refunds, sent_hash text) returns setof refund_beginnings language sql stable as $$
  select b.* from refund_beginnings b join chain_cursors c on c.epoch is not distinct from b.epoch
  where b.refund_id = refund.id and c.chain_id = refund.chain_id
    and not exists (
      select from signed_transactions t join signer_nonces n using (signer_id, nonce)
      where t.chain_id = refund.chain_id and t.tx_hash = sent_hash and n.refund_id = refund.id)
$$;
