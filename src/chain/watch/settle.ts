import type { Payment } from '../../../machines/payment-events.ts'
import type { Command } from '../../actors/command.ts'
import type { Actor } from '../../actors/kind.ts'
import type { ActorRow } from '../../actors/rows.ts'
import { uuidFrom } from '../../ids.ts'
import { linkEventOf, paymentKind } from '../../kinds/payment.ts'
import type { Sql } from '../../postgres/connect.ts'
import { ofKind, readerOf } from '../../queries/actors.ts'
import type { World } from '../../world.ts'
import { claimsOf, isInTime, type Received } from './sums.ts'

/** Payments told at once. */
const MOST = 500

/**
 * Tells payments what the books of the chains have of them since they were told last. Answers how many could be
 * told; until it is none, there may be more. Safe to run twice, and at once: a payment takes
 * what is news to it, by a command whose id is the news itself.
 */
export const settlePayments = async (world: World, most = MOST): Promise<number> => {
  const found = await findUnsettled(world.sql, most)
  const told = await Promise.all(found.map(unsettled => settled(world, unsettled)))
  await forget(world.sql, found, told)
  return told.filter(Boolean).length
}

/** How it is after it was told; undefined when it must be told again: no payment keeps another from its money. */
const settled = async (world: World, unsettled: Unsettled): Promise<Actor<Payment> | undefined> => {
  try {
    return await settle(world, unsettled)
  } catch (err) {
    world.log.error({ payment: unsettled.payment.id, err }, 'a payment could not be told of its transfers')
    return undefined
  }
}

/** Unless the chains have told more of them meanwhile. */
const forget = async (
  sql: Sql,
  found: readonly Unsettled[],
  told: readonly (Actor<Payment> | undefined)[],
): Promise<void> => {
  const rows = found.flatMap(({ payment, received, touchedBy, touchedAt }, n) => {
    const now = told[n]
    if (!now) return []
    const waits = now.state === 'pending' && received.some(transfer => !isInTime(now.context, transfer))
    return [{ payment_id: payment.id, chain_id: touchedBy, step: touchedAt, waits }]
  })
  if (rows.length === 0) return
  await sql`
    with told as (
      select u.payment_id, told.waits
      from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as told(payment_id uuid, chain_id bigint, step bigint, waits boolean)
      join unsettled_payments u using (payment_id, chain_id, step)
      order by u.payment_id for update of u),
    waiting as (
      update unsettled_payments u set waits_for_end = true from told where told.payment_id = u.payment_id and waits)
    delete from unsettled_payments u using told where told.payment_id = u.payment_id and not waits`
}

const settle = async (
  { actors }: World,
  { payment, received, scan, touchedBy, touchedAt }: Unsettled,
): Promise<Actor<Payment>> => {
  let actor = payment
  // Each claim can bring the payment into a state of which others can be made: seen, and then final.
  for (let turn = 0; turn < 4; turn++) {
    const before = actor
    for (const { type, ...fields } of claimsOf(actor, received, scan)) {
      // The same news has the same id, whoever tells it.
      const idOf = (whom: string) => uuidFrom([whom, touchedBy, touchedAt, actor.rev, type])
      const cause = `chain:${touchedBy}`
      const commands: Command[] = [
        { kind: 'payment', actor: actor.id, event: { type, ...fields }, id: idOf(actor.id), cause },
      ]
      const linkEvent = linkEventOf[type]
      const link = actor.context.paymentLinkId
      if (linkEvent)
        commands.push({ kind: 'payment_link', actor: link, event: { type: linkEvent }, id: idOf(link), cause })
      const outcome = await actors.dispatchBundle(commands)
      if (!outcome.ok) continue
      actor = ofKind(paymentKind, outcome.done[0]?.actor)
      break
    }
    if (actor === before) break
  }
  return actor
}

type Unsettled = {
  readonly payment: Actor<Payment>
  readonly received: readonly Received[]
  /** The step of the payment's own chain that the transfers are of. */
  readonly scan: number
  readonly touchedBy: number
  readonly touchedAt: number
}

type Row = ActorRow & {
  readonly touched_by: string
  readonly touched_at: string
  readonly read_at: string | null
  readonly received: readonly {
    readonly chain_id: number
    readonly tx_hash: string
    readonly log_index: number
    readonly block_number: number
    readonly mined_at: string
    readonly token_address: string | null
    readonly from_address: string | null
    readonly amount: string
    readonly state: string
  }[]
}

const readPayment = readerOf(paymentKind)

/** Payment, transfers and step of one moment. */
const findUnsettled = async (sql: Sql, most: number): Promise<Unsettled[]> => {
  const rows = await sql<Row[]>`
    select p.*, u.chain_id as touched_by, u.step as touched_at, c.step as read_at,
      coalesce((
        select json_agg(json_build_object(
          'chain_id', t.chain_id, 'tx_hash', t.tx_hash, 'log_index', t.log_index, 'block_number', t.block_number,
          'mined_at', t.mined_at, 'token_address', t.token_address, 'from_address', t.from_address,
          'amount', t.amount::text, 'state', t.state))
        from transfers t where t.payment_id = p.id and t.state <> 'orphaned'), '[]') as received
    from unsettled_payments u
    join payments p on p.id = u.payment_id
    left join chain_cursors c on c.chain_id = p.chain_id
    where not u.waits_for_end or p.state <> 'pending'
    order by u.step limit ${most}`
  return rows.map(row => ({
    payment: readPayment(row),
    received: row.received.map(transfer => ({
      chainId: transfer.chain_id,
      txHash: transfer.tx_hash,
      logIndex: transfer.log_index,
      blockNumber: transfer.block_number,
      minedAt: new Date(transfer.mined_at),
      token: transfer.token_address,
      from: transfer.from_address,
      amount: BigInt(transfer.amount),
      final: transfer.state === 'final',
    })),
    scan: Number(row.read_at ?? 0),
    touchedBy: Number(row.touched_by),
    touchedAt: Number(row.touched_at),
  }))
}
