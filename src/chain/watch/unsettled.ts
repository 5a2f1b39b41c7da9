import type { Payment } from '../../../machines/payment-events.ts'
import { isInTime } from '../../../machines/payment-sums.ts'
import type { Actor } from '../../actors/kind.ts'
import { paymentKind } from '../../kinds/payment.ts'
import type { Sql } from '../../postgres/connect.ts'
import { textsOf } from '../../queries/actors.ts'
import { readSender, type SenderRow } from './completing.ts'
import type { Received } from './sums.ts'

/** A payment whose transfers have changed and must be applied. */
export type Unsettled = {
  readonly payment: Actor<Payment>
  readonly received: readonly Received[]
  /** A transfer that two nodes had reported is not on the chain any more. */
  readonly hasLostAgreed: boolean
  /** Money was collected from one of its addresses, and nothing shows what had arrived. */
  readonly isUnexplained: boolean
  /** The step of the payment's own chain at which the transfers were read. */
  readonly scan: number
  /**
   * The block at which final money of the payment becomes deep enough for the merchant; null where none waits for that.
   */
  readonly awaitedBlock: number | null
  readonly touchedBy: number
  readonly touchedAt: number
}

/**
 * Payments with their transfers and step, read in one statement; those after `after`, in the order in which they were
 * marked.
 */
export const findUnsettled = async (sql: Sql, most: number, after?: Unsettled): Promise<Unsettled[]> => {
  const [step, id] = after ? [after.touchedAt, after.payment.id] : [0, '00000000-0000-0000-0000-000000000000']
  const [answer] = await sql<[{ found: readonly Found[] }]>`
    select array_to_json(array(
      select json_build_array(
        ${sql.unsafe(payments.texts('p'))}, u.chain_id, u.step, c.step, c.number, c.deep_number,
        c.confirmations, has_lost_agreed(p.id, p.chain_id, p.token_address),
        exists (
          select from unexplained_collections x join chain_cursors m using (chain_id)
          where x.payment_id = p.id and not (p.livemode and not coalesce(m.livemode, true))),
        (select json_agg(sums)
        from (
          select chain_id, block_number, block_hash, mined_at, token_address, state, transfers, amount::text,
            tx_hash, log_index, from_address
          from sums_of(p.id) t
          where
            -- Test money is free: with it, anyone could mark a live payment as paid on a wrong chain.
            not (p.livemode and exists (
              select from chain_cursors m where m.chain_id = t.chain_id and not m.livemode))) as sums))
      from (
        select payment_id, chain_id, step from unsettled_payments
        where (step, payment_id) > (${step}, ${id})
          and (reported_rev is null or exists (
            select from payments where id = payment_id and (state <> 'pending' or rev is distinct from reported_rev)))
        order by step, payment_id limit ${most}) as u
      join payments p on p.id = u.payment_id
      left join chain_cursors c on c.chain_id = p.chain_id
      order by u.step, u.payment_id)) as found`
  return answer.found.map(
    ([texts, touchedBy, touchedAt, readAt, readTo, deepTo, usualConfirmations, hasLostAgreed, isUnexplained, sums]) => {
      const payment = payments.read(texts)
      const all = (sums ?? []).map(readSum)
      const depth = depthOf(payment.context, { readTo: readTo ?? 0, deepTo: deepTo ?? 0, usualConfirmations })
      const shallow = all.filter(transfer => transfer.final && depth.isShallow(transfer))
      return {
        payment,
        received: all.map(transfer => (shallow.includes(transfer) ? { ...transfer, final: false } : transfer)),
        hasLostAgreed,
        isUnexplained,
        scan: readAt ?? 0,
        awaitedBlock: shallow.length > 0 ? Math.min(...shallow.map(depth.blockFor)) : null,
        touchedBy,
        touchedAt,
      }
    },
  )
}

/**
 * Records that these payments have been handled, unless their transfers have changed meanwhile. A slow process may have
 * applied a transfer that another process had already found orphaned and handled: such a payment is marked again.
 */
export const recordApplied = async (
  sql: Sql,
  applied: readonly (readonly [Unsettled, now: Actor<Payment>])[],
): Promise<void> => {
  const rows = applied.map(([{ payment, received, awaitedBlock, touchedBy, touchedAt }, now]) => {
    const waits = now.state === 'pending' && received.some(transfer => !isInTime(now.context, transfer))
    const place = { payment_id: payment.id, own_chain: payment.context.chainId, number: awaitedBlock }
    return { ...place, chain_id: touchedBy, step: touchedAt, waits, rev: now.rev, changed: now.rev !== payment.rev }
  })
  if (rows.length === 0) return
  // Rows are looked up by key, one by one: these tables are empty whenever they are analyzed, and a plan for empty
  // tables that compared each row with each took 16 s for 5,000 rows.
  await sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as given(payment_id uuid, chain_id bigint, step bigint, waits boolean, rev integer, own_chain bigint,
          number bigint, changed boolean)
      order by payment_id),
    -- Locked first, in the same order as in deepen_payments().
    locked as materialized (
      select payment_id from deeper_payments where payment_id = any(array(select payment_id from given))
      order by payment_id for update),
    applied as materialized (
      select given.payment_id, given.waits, given.rev, given.own_chain, given.number
      from given cross join lateral (
        select from unsettled_payments u
        where u.payment_id = given.payment_id and u.chain_id = given.chain_id and u.step = given.step
        for update) u
      where (select count(*) from locked) >= 0),
    deeper as (
      insert into deeper_payments (payment_id, chain_id, number)
      select payment_id, own_chain, number from applied where number is not null
      on conflict (payment_id) do update set chain_id = excluded.chain_id, number = excluded.number),
    again as (
      insert into unsettled_payments (payment_id, chain_id, step)
      select given.payment_id, given.chain_id, c.step
      from given join chain_cursors c on c.chain_id = given.chain_id
      where given.changed and not exists (select from applied where applied.payment_id = given.payment_id)
      on conflict do nothing),
    waiting as (
      update unsettled_payments u set reported_rev = (select rev from applied where applied.payment_id = u.payment_id)
      where payment_id = any(array(select payment_id from applied where waits)))
    delete from unsettled_payments where payment_id = any(array(select payment_id from applied where not waits))`
}

/**
 * A merchant may require more confirmations for a payment than its chain's finality takes, never fewer. The number was
 * fixed when the asset was picked. Where it is not above the chain's usual number, finality alone decides, and the
 * number is an estimate for display.
 */
const depthOf = ({ chainId, confirmationsRequired }: Payment, { readTo, deepTo, usualConfirmations }: ReadDepth) => {
  const required = confirmationsRequired ?? 0
  const isMore = usualConfirmations !== null && required > usualConfirmations
  const blockFor = ({ blockNumber }: Received) => blockNumber + required - 1
  return {
    blockFor,
    // A transfer above the head belongs to a sandbox chain that was replaced: its blocks are lost, and it stays final.
    isShallow: (transfer: Received) =>
      isMore && transfer.chainId === chainId && transfer.blockNumber <= readTo && blockFor(transfer) > deepTo,
  }
}

/** How far the payment's chain is read, how far two nodes have reached it, and its usual number of confirmations. */
type ReadDepth = { readonly readTo: number; readonly deepTo: number; readonly usualConfirmations: number | null }

type Found = readonly [
  payment: readonly (string | null)[],
  touchedBy: number,
  touchedAt: number,
  readAt: number | null,
  readTo: number | null,
  deepTo: number | null,
  usualConfirmations: number | null,
  hasLostAgreed: boolean,
  isUnexplained: boolean,
  sums: readonly ReceivedRow[] | null,
]

type ReceivedRow = SenderRow & {
  readonly chain_id: number
  readonly block_number: number
  readonly block_hash: string
  readonly mined_at: string
  readonly token_address: string | null
  readonly state: string
  readonly transfers: number
  readonly amount: string
}

const payments = textsOf(paymentKind)

const readSum = (row: ReceivedRow): Received => ({
  chainId: row.chain_id,
  blockNumber: row.block_number,
  blockHash: row.block_hash,
  minedAt: new Date(row.mined_at),
  token: row.token_address,
  amount: BigInt(row.amount),
  transfers: row.transfers,
  final: row.state === 'final',
  last: readSender(row),
})
