import type { Delivery, DeliveryEvent } from '../../machines/delivery.ts'
import { type Actor, registered, snakeCase } from '../actors/kind.ts'
import { rowCodec } from '../actors/rows.ts'
import { stepper } from '../actors/step.ts'
import { deliveryKind } from '../kinds/delivery.ts'
import type { Random } from '../outside.ts'
import type { Claimed, Recorded, Records } from '../queries/sending.ts'
import type { PostOutcome } from './post.ts'

/** How an attempt has ended, for its row and for its delivery's machine. */
export type AttemptEnd = {
  readonly event: DeliveryEvent
  readonly outcome: string
  readonly durationMs: number | null
  readonly httpStatus: number | null
  readonly responseSnippet: string | null
}

/**
 * Some attempts end without a request. `lost` is one of which nobody knows whether it was sent, or that was taken up
 * too long ago to be sent now.
 */
export type AttemptOutcome = Omit<PostOutcome, 'outcome' | 'durationMs'> & {
  readonly outcome: PostOutcome['outcome'] | 'body_too_large' | 'not_signed' | 'lost'
  readonly durationMs: number | null
}

/** As it is written down, too. */
type Told = Omit<AttemptOutcome, 'outcome'> & { readonly outcome: string }

export const endOf = (attempt: number, answer: Told, at: Date, random: Random): AttemptEnd => {
  const { outcome, durationMs, httpStatus, responseSnippet } = answer
  return { event: eventOf(attempt, answer, at, random), outcome, durationMs, httpStatus, responseSnippet }
}

const eventOf = (
  attempt: number,
  { outcome, retryAfterSeconds }: Pick<Told, 'outcome' | 'retryAfterSeconds'>,
  at: Date,
  random: Random,
): DeliveryEvent => {
  if (outcome === 'delivered') return { type: 'attempt_succeeded', attempt, at }
  if (permanent.has(outcome)) return { type: 'attempt_barred', attempt, at }
  const jitter = chance(random)
  if (outcome === 'lost') return { type: 'attempt_lost', attempt, at, jitter }
  return { type: 'attempt_failed', attempt, at, jitter, retryAfterSeconds }
}

const permanent: ReadonlySet<string> = new Set<AttemptOutcome['outcome']>([
  'redirect',
  'forbidden_address',
  'body_too_large',
])

/** What is told of an attempt without a request, or without an end that anybody saw. */
export const unsent = (outcome: 'body_too_large' | 'not_signed' | 'lost'): AttemptOutcome => ({
  ...{ outcome, httpStatus: null, responseSnippet: null, retryAfterSeconds: null, durationMs: null },
})

const chance = (random: Random): number => new DataView(random(new Uint8Array(4)).buffer).getUint32(0) / 2 ** 32

const kind = registered(deliveryKind)
const { take } = stepper(kind)
const { decode, show } = rowCodec(kind, Object.keys(deliveryKind.columns).map(snakeCase))

/** A delivery as its claim has left it. */
export const claimedActor = (claimed: Claimed, since: Date): Actor => {
  const { id, rev, createdAt, merchantId, livemode, eventId, eventType, endpointId } = claimed
  const { attempts, automaticAttempts, trigger, resumeAt, deliveredAt } = claimed
  const context: Delivery = {
    ...{ merchantId, livemode, eventId, eventType, endpointId, attempts, automaticAttempts, trigger },
    ...{ nextAttemptAt: null, resumeAt, sendingSince: since, cancelRequested: false, deliveredAt },
  }
  return { id, kind: kind.name, state: 'sending', rev, context, createdAt, updatedAt: since }
}

export const readActor = decode

/**
 * Where an attempt's end leaves its delivery. The machine decides it here and not in the dispatcher, who would read
 * the row once more: nobody else changes it while it is being sent, and if somebody does, its rev tells.
 */
export const decideEnd = (
  before: Actor,
  { event, ...end }: AttemptEnd,
): { recorded: Recorded; jobs: Records['jobs'] } => {
  const { id, rev } = before
  const stepped = take(before.state, before.context, event)
  if (!stepped) throw new Error(`a delivery that is ${before.state} does not take ${event.type}`)
  const { state, context, asked } = stepped
  const after: Actor = { ...before, state, context, rev: rev + 1, updatedAt: event.at }
  const { attempts, trigger, nextAttemptAt, resumeAt, deliveredAt } = context as Delivery
  return {
    recorded: {
      id,
      entry: [
        ...[id, rev, attempts, event.type, state, trigger, msOf(nextAttemptAt), msOf(resumeAt), msOf(deliveredAt)],
        ...[event.at.getTime(), end.outcome, end.durationMs, end.httpStatus, end.responseSnippet],
      ],
      context: show(after),
    },
    jobs: asked.flatMap(ask => (ask.what === 'effect' ? jobsOf(ask.name, after, end) : [])),
  }
}

const msOf = (time: Date | null): number | null => time?.getTime() ?? null

const jobsOf = (name: string, after: Actor, { httpStatus }: Pick<AttemptEnd, 'httpStatus'>): Records['jobs'] => {
  const job = kind.effects?.[name]?.(after, undefined, { id: `${after.id}:${after.rev}:0`, at: after.updatedAt })
  if (!job) throw new Error(`a delivery has no effect ${name}`)
  // Whoever judges the endpoint is shown the delivery that it has said to be gone for.
  return httpStatus === 410
    ? [{ ...job, key: `${job.key}:gone`, payload: { ...job.payload, deliveryId: after.id } }]
    : [job]
}
