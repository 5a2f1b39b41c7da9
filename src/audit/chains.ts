import type { Kind } from '../actors/kind.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Check } from './audit.ts'

/** What is promised of the chains' books, and of the payments that are told of them. */
export const auditChains = (kinds: readonly Kind[]): Check[] =>
  kinds.some(({ name }) => name === 'payment') ? [...books, sums('received'), sums('final')] : []

const books: readonly Check[] = [
  {
    invariant: 'I4',
    what: 'a chain whose books lack a block since its final one',
    breaches: sql => sql`
      select c.chain_id::text as id from chain_cursors c
      where (select count(*) from chain_blocks b
             where b.chain_id = c.chain_id and b.number between c.final_number and c.number)
        <> c.number - c.final_number + 1`,
  },
  {
    invariant: 'I4',
    what: 'a transfer that is seen in a block which is no part of its chain',
    breaches: sql => sql`
      select t.tx_hash as id from transfers t
      where t.state = 'seen' and not exists (
        select from chain_blocks b where b.chain_id = t.chain_id and b.number = t.block_number and b.hash = t.block_hash)`,
  },
  {
    invariant: 'I4',
    what: 'a block whose transfers to a payment are not what they were added up to',
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
    what: 'an address that was given out for a payment which is not there',
    breaches: sql => sql`
      select address as id from deposit_addresses d where not exists (select from payments p where p.id = d.payment_id)`,
  },
]

/**
 * Of payments that have been told all there is, and whose money is as deep as they wait for. What a pending one does not
 * count, as it came after its window or its price (`isInTime`, machines/payment-sums.ts), waits for its end.
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
        where u.payment_id = p.id and u.told_rev is distinct from p.rev)
      ${which === 'final' ? sql`and not exists (select from deeper_payments w where w.payment_id = p.id)` : sql``}
    group by p.id
    having ${which === 'final' ? sql`p.amount_final` : sql`p.amount_received`}
      -- No more than the column holds, as it is told (src/chain/watch/sums.ts).
      <> least(coalesce(sum(t.amount), 0), repeat('9', 78)::numeric)`,
})
