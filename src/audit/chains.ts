import type { Kind } from '../actors/kind.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Check } from './rules/check.ts'

/** Invariants of the recorded chains, and of the payments on them. */
export const auditChains = (kinds: readonly Kind[]): Check[] =>
  kinds.some(({ name }) => name === 'payment') ? [...chainChecks, sums('received'), sums('final')] : []

const chainChecks: readonly Check[] = [
  {
    invariant: 'I4',
    what: 'a chain with a missing block after its final block',
    breaches: sql => sql`
      select c.chain_id::text as id from chain_cursors c
      where (select count(*) from chain_blocks b
             where b.chain_id = c.chain_id and b.number between c.final_number and c.number)
        <> c.number - c.final_number + 1`,
  },
  {
    invariant: 'I4',
    what: 'a transfer that is seen in a block which is not part of its chain',
    breaches: sql => sql`
      select t.tx_hash as id from transfers t
      where t.state = 'seen' and not exists (
        select from chain_blocks b where b.chain_id = t.chain_id and b.number = t.block_number and b.hash = t.block_hash)`,
  },
  {
    invariant: 'I4',
    what: 'a block whose recorded sum for a payment differs from its transfers',
    breaches: sql => sql`
      select coalesce(t.payment_id, s.payment_id) as id
      from (
        select payment_id, chain_id, block_number, block_hash, coalesce(token_address, '') as token, state,
          count(*) as transfers, sum(amount) as amount
        from transfers where state <> 'orphaned' group by 1, 2, 3, 4, 5, 6) t
      full join (select *, coalesce(token_address, '') as token from transfer_sums) s
        on s.payment_id = t.payment_id and s.chain_id = t.chain_id and s.block_number = t.block_number
          and s.block_hash = t.block_hash and s.token = t.token and s.state = t.state
      where t.amount is distinct from s.amount or t.transfers is distinct from s.transfers`,
  },
  {
    invariant: 'I4',
    what: 'a deposit address of a payment that does not exist',
    breaches: sql => sql`
      select address as id from deposit_addresses d where not exists (select from payments p where p.id = d.payment_id)`,
  },
]

/**
 * Only for payments that have processed all recorded transfers, at their required depth. A pending payment does not
 * count a transfer after its window or its price (`isInTime`, machines/payment-sums.ts) before the window ends.
 */
const sums = (which: 'received' | 'final'): Check => ({
  invariant: 'I4',
  what: `a payment whose ${which} sum differs from its transfers`,
  breaches: (sql: Sql) => sql`
    select p.id
    from payments p
    left join transfers t on t.payment_id = p.id and t.chain_id = p.chain_id
      and t.token_address is not distinct from p.token_address and t.state <> 'orphaned'
      and (p.state <> 'pending' or t.mined_at <= least(p.expires_at, p.quote_expires_at))
      ${which === 'final' ? sql`and t.state = 'final'` : sql``}
    where exists (select from deposit_addresses d where d.payment_id = p.id)
      and not exists (
        select from unsettled_payments u
        where u.payment_id = p.id and u.reported_rev is distinct from p.rev)
      ${which === 'final' ? sql`and not exists (select from deeper_payments w where w.payment_id = p.id)` : sql``}
    group by p.id
    having ${which === 'final' ? sql`p.amount_final` : sql`p.amount_received`}
      -- At most the maximum of the column, as in src/chain/watch/sums.ts.
      <> least(coalesce(sum(t.amount), 0), repeat('9', 78)::numeric)`,
})
