import type { Payment } from '../../../machines/payment-events.ts'
import { LockedOut } from '../../actors/command.ts'
import { type Actor, registered } from '../../actors/kind.ts'
import type { Services } from '../../actors/services.ts'
import { stepper } from '../../actors/step.ts'
import { encodeId, uuidFrom } from '../../ids.ts'
import { paymentKind } from '../../kinds/payment.ts'
import { ofKind } from '../../queries/actors.ts'
import { dispatchPaymentEvent } from '../../queries/payment-bundles.ts'
import { findCompleting } from './completing.ts'
import { candidateEvents } from './sums.ts'
import { findUnsettled, recordApplied, type Unsettled } from './unsettled.ts'

/** Payments in a part. */
const MAX_PART = 1_000

/** Parts in parallel: while one is committed, the next one is decided and one more is queried. */
const PARALLEL_PARTS = 3

export type SettleOptions = { readonly most?: number; readonly signal?: AbortSignal }

/**
 * Applies recorded transfers to payments whose transfers have changed. Returns how many payments were handled; while it
 * is not 0, there may be more. Idempotent, also when run in parallel: a payment takes only events that change it, and
 * the command id is derived from the change.
 */
export const settlePayments = async (
  world: Services,
  { most = MAX_PART, signal }: SettleOptions = {},
): Promise<number> => {
  let count = 0
  const parts: Promise<number>[] = []
  let next: Promise<Unsettled[]> | undefined
  try {
    for (let found = await findUnsettled(world.sql, most); found.length > 0 && !signal?.aborted; ) {
      next = findMore(world, found, most)
      const part = applyPart(world, found)
      // Their errors are thrown where they are awaited.
      for (const asked of [next, part]) asked.catch(() => {})
      parts.push(part)
      if (parts.length === PARALLEL_PARTS) count += (await parts.shift()) ?? 0
      found = await next
    }
    for (const applied of await Promise.all(parts)) count += applied
    return count
  } finally {
    await Promise.allSettled([...parts, next])
  }
}

const applyPart = async (world: Services, found: readonly Unsettled[]): Promise<number> => {
  const applied = await applyAll(world, found)
  await recordApplied(world.sql, applied)
  return applied.length
}

const findMore = async ({ sql }: Services, found: readonly Unsettled[], most: number): Promise<Unsettled[]> =>
  found.length < most ? [] : findUnsettled(sql, most, found.at(-1))

/** Payments that were handled, with their new state. */
const applyAll = async (
  world: Services,
  found: readonly Unsettled[],
): Promise<readonly (readonly [Unsettled, Actor<Payment>])[]> => {
  const applied = await Promise.all(found.map(unsettled => settleOrLog(world, unsettled)))
  return found.flatMap((unsettled, n) => {
    const now = applied[n]
    return now ? [[unsettled, now] as const] : []
  })
}

/** The payment afterwards; undefined when it must be handled again. A payment that fails does not hold up others. */
const settleOrLog = async (world: Services, unsettled: Unsettled): Promise<Actor<Payment> | undefined> => {
  try {
    return await settle(world, unsettled)
  } catch (err) {
    if (!(err instanceof LockedOut))
      world.log.error(
        { payment: encodeId('pay', unsettled.payment.id), err },
        'transfers not applied to payment, retrying',
      )
    return undefined
  }
}

/**
 * Checked before the dispatch: an event that the payment refuses would cost a query of its row, and most are refused.
 */
const { take } = stepper(registered(paymentKind))

const settle = async (
  services: Services,
  { payment, received, hasLostAgreed, isUnexplained, scan, touchedBy, touchedAt }: Unsettled,
): Promise<Actor<Payment> | undefined> => {
  const { sql, clock } = services
  let actor = payment
  // Each event can lead to a state with further events: seen, and then final.
  for (let turn = 0; turn < 4; turn++) {
    const before = actor
    const candidates = await candidateEvents(
      actor,
      { received, hasLostAgreed, isUnexplained, scan },
      findCompleting(sql, payment.id),
    )
    if (!candidates) return undefined
    const likely = candidates.filter(candidate => take(before.state, before.context, { ...candidate, at: clock.now() }))
    // The row that was read may be outdated, so all events are tried; the row that was just committed is current.
    for (const { type, ...fields } of before === payment ? new Set([...likely, ...candidates]) : likely) {
      // The same change has the same id, whichever process applies it. The link of several payments can get equal
      // events at one step, so ids contain the payment.
      const idOf = (target: string) => uuidFrom([target, actor.id, touchedBy, touchedAt, actor.rev, type])
      const cause = `chain:${touchedBy}`
      const given = { cause, idOf, transfers: received }
      const outcome = await dispatchPaymentEvent(services, actor, { type, ...fields }, given)
      if (!outcome.ok) {
        // The customer has picked another asset since: the payment is handled again with it.
        if (outcome.actor && !isOfSamePick(payment, outcome.actor)) return undefined
        continue
      }
      actor = ofKind(paymentKind, outcome.done[0]?.actor)
      break
    }
    if (actor === before) break
  }
  return actor
}

const isOfSamePick = ({ kind, context }: Actor<Payment>, now: Actor): boolean =>
  now.kind !== kind || (now.context.chainId === context.chainId && now.context.asset === context.asset)
