import type { Payment } from '../../../machines/payment-events.ts'
import { type Command, LockedOut } from '../../actors/command.ts'
import { type Actor, registered } from '../../actors/kind.ts'
import type { Services } from '../../actors/services.ts'
import { stepper } from '../../actors/step.ts'
import { uuidFrom } from '../../ids.ts'
import { linkEventOf, paymentKind } from '../../kinds/payment.ts'
import { ofKind } from '../../queries/actors.ts'
import { findCompleting } from './completing.ts'
import { claimsOf } from './sums.ts'
import { findUnsettled, forgetTold, type Unsettled } from './unsettled.ts'

/** Payments in a part. */
const MOST = 1_000

/** Parts under way: while one is committed, the next is decided, and one more is looked for. */
const PARTS = 3

export type SettleOptions = { readonly most?: number; readonly signal?: AbortSignal }

/**
 * Tells payments what the books of the chains have of them since they were told last. Answers how many could be
 * told; until it is none, there may be more. Safe to run twice, and at once: a payment takes
 * what is news to it, by a command whose id is the news itself.
 */
export const settlePayments = async (world: Services, { most = MOST, signal }: SettleOptions = {}): Promise<number> => {
  let count = 0
  const parts: Promise<number>[] = []
  let next: Promise<Unsettled[]> | undefined
  try {
    for (let found = await findUnsettled(world.sql, most); found.length > 0 && !signal?.aborted; ) {
      next = moreThan(world, found, most)
      const part = tellAndForget(world, found)
      // Whoever waits for them hears of it.
      for (const asked of [next, part]) asked.catch(() => {})
      parts.push(part)
      if (parts.length === PARTS) count += (await parts.shift()) ?? 0
      found = await next
    }
    for (const told of await Promise.all(parts)) count += told
    return count
  } finally {
    await Promise.allSettled([...parts, next])
  }
}

const tellAndForget = async (world: Services, found: readonly Unsettled[]): Promise<number> => {
  const told = await tell(world, found)
  await forgetTold(world.sql, told)
  return told.length
}

const moreThan = async ({ sql }: Services, found: readonly Unsettled[], most: number): Promise<Unsettled[]> =>
  found.length < most ? [] : findUnsettled(sql, most, found.at(-1))

/** Those that could be told, and how they are now. */
const tell = async (
  world: Services,
  found: readonly Unsettled[],
): Promise<readonly (readonly [Unsettled, Actor<Payment>])[]> => {
  const told = await Promise.all(found.map(unsettled => settled(world, unsettled)))
  return found.flatMap((unsettled, n) => {
    const now = told[n]
    return now ? [[unsettled, now] as const] : []
  })
}

/** How it is after it was told; undefined when it must be told again: no payment keeps another from its money. */
const settled = async (world: Services, unsettled: Unsettled): Promise<Actor<Payment> | undefined> => {
  try {
    return await settle(world, unsettled)
  } catch (err) {
    if (!(err instanceof LockedOut))
      world.log.error({ payment: unsettled.payment.id, err }, 'transfers not applied to payment, retrying')
    return undefined
  }
}

/** Asked here first: a claim that a payment does not take costs a look at its row otherwise, and most are such. */
const { take } = stepper(registered(paymentKind))

const settle = async (
  { sql, actors, clock }: Services,
  { payment, received, hasLostAgreed, isUnexplained, scan, touchedBy, touchedAt }: Unsettled,
): Promise<Actor<Payment> | undefined> => {
  let actor = payment
  // Each claim can bring the payment into a state of which others can be made: seen, and then final.
  for (let turn = 0; turn < 4; turn++) {
    const before = actor
    const claims = await claimsOf(
      actor,
      { received, hasLostAgreed, isUnexplained, scan },
      findCompleting(sql, payment.id),
    )
    if (!claims) return undefined
    const likely = claims.filter(claim => take(before.state, before.context, { ...claim, at: clock.now() }))
    // As it was read, somebody may have changed it since; as it was committed just now, it is.
    for (const { type, ...fields } of before === payment ? new Set([...likely, ...claims]) : likely) {
      // The same news has the same id, whoever tells it. A link hears the like of several payments at the same step.
      const idOf = (whom: string) => uuidFrom([whom, actor.id, touchedBy, touchedAt, actor.rev, type])
      const cause = `chain:${touchedBy}`
      const commands: Command[] = [
        { kind: 'payment', actor: actor.id, event: { type, ...fields }, id: idOf(actor.id), cause },
      ]
      const linkEvent = linkEventOf[type]
      const link = actor.context.paymentLinkId
      if (linkEvent)
        commands.push({ kind: 'payment_link', actor: link, event: { type: linkEvent }, id: idOf(link), cause })
      const outcome = await actors.dispatchBundle(commands)
      if (!outcome.ok) {
        // Its customer has picked something else since it was read: of that, all of this is to be told anew.
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
