import type { Delivery, DeliveryEvent } from '../../machines/delivery.ts'
import { type Actor, registered, snakeCase } from '../actors/kind.ts'
import { rowCodec } from '../actors/rows.ts'
import { stepper } from '../actors/step.ts'
import type { Random } from '../dependencies.ts'
import { deliveryKind } from '../kinds/delivery.ts'
import type { Claimed, Recorded, Records } from '../queries/sending.ts'
import type { PostOutcome } from './post.ts'
import type { ShownHeaders } from './shown-headers.ts'

/** The end of an attempt: the columns of its row, and the event for its delivery's machine. */
export type AttemptEnd = {
  readonly event: DeliveryEvent
  readonly outcome: string
  readonly durationMs: number | null
  readonly httpStatus: number | null
  readonly responseSnippet: string | null
  readonly responseHeaders: ShownHeaders | null
  readonly signedS: number | null
}

/**
 * Some attempts end without a request. `lost`: it is unknown whether a request was sent, or the delivery was claimed
 * too long ago to be sent.
 */
export type AttemptOutcome = Omit<PostOutcome, 'outcome' | 'durationMs' | 'responseHeaders'> & {
  readonly outcome: PostOutcome['outcome'] | 'body_too_large' | 'not_signed' | 'lost'
  readonly durationMs: number | null
  readonly responseHeaders?: ShownHeaders | null
  /** The time of the signature, in Unix seconds. None if no request was made. */
  readonly signedS?: number
}

/** An outcome of this process, or one read from the database. */
type AnyOutcome = Omit<AttemptOutcome, 'outcome'> & { readonly outcome: string }

export const attemptEndOf = (attempt: number, ended: AnyOutcome, at: Date, random: Random): AttemptEnd => {
  const { outcome, durationMs, httpStatus, responseSnippet, responseHeaders = null } = ended
  const signedS = unsent.has(outcome) ? null : (ended.signedS ?? null)
  const event = eventOf(attempt, ended, at, random)
  return { event, outcome, durationMs, httpStatus, responseSnippet, responseHeaders, signedS }
}

const eventOf = (
  attempt: number,
  { outcome, retryAfterSeconds }: Pick<AnyOutcome, 'outcome' | 'retryAfterSeconds'>,
  at: Date,
  random: Random,
): DeliveryEvent => {
  if (outcome === 'delivered') return { type: 'attempt_succeeded', attempt, at }
  if (permanent.has(outcome)) return { type: 'attempt_failed_permanently', attempt, at }
  const jitter = fractionOf(random)
  if (outcome === 'lost') return { type: 'attempt_lost', attempt, at, jitter }
  return { type: 'attempt_failed', attempt, at, jitter, retryAfterSeconds }
}

const permanent: ReadonlySet<string> = new Set<AttemptOutcome['outcome']>([
  'redirect',
  'forbidden_address',
  'body_too_large',
])

/** Nothing was sent. */
const unsent: ReadonlySet<string> = new Set<AttemptOutcome['outcome']>(['forbidden_address', 'dns_failed'])

/** The outcome of an attempt without a request, or whose end is unknown. */
export const withoutRequest = (outcome: 'body_too_large' | 'not_signed' | 'lost'): AttemptOutcome => ({
  ...{ outcome, httpStatus: null, responseSnippet: null, retryAfterSeconds: null, durationMs: null },
})

const fractionOf = (random: Random): number => new DataView(random(new Uint8Array(4)).buffer).getUint32(0) / 2 ** 32

const kind = registered(deliveryKind)
const { take } = stepper(kind)
const { decode, show } = rowCodec(kind, Object.keys(deliveryKind.columns).map(snakeCase))

/** The actor of a delivery as it is after its claim. */
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
 * Decides the new state of a delivery after an attempt. Not by the dispatcher, which would read the row again: usually
 * nothing else changes a delivery while it is being sent, and `rev` shows if something did.
 */
export const decideEnd = (
  before: Actor,
  { event, ...end }: AttemptEnd,
): { recorded: Recorded; jobs: Records['jobs'] } => {
  const { id, rev } = before
  const stepped = take(before.state, before.context, event)
  if (!stepped) throw new Error(`a delivery in the state ${before.state} does not accept ${event.type}`)
  const { state, context, requested } = stepped
  const after: Actor = { ...before, state, context, rev: rev + 1, updatedAt: event.at }
  const { attempts, trigger, nextAttemptAt, resumeAt, deliveredAt } = context as Delivery
  return {
    recorded: {
      id,
      entry: [
        ...[id, rev, attempts, event.type, state, trigger, msOf(nextAttemptAt), msOf(resumeAt), msOf(deliveredAt)],
        ...[event.at.getTime(), end.outcome, end.durationMs, end.httpStatus, end.responseSnippet],
        ...[end.signedS, end.responseHeaders],
      ],
      context: show(after),
    },
    jobs: requested.flatMap(effectRequest =>
      effectRequest.what === 'effect' ? jobsOf(effectRequest.name, after, end) : [],
    ),
  }
}

const msOf = (time: Date | null): number | null => time?.getTime() ?? null

const jobsOf = (name: string, after: Actor, { httpStatus }: Pick<AttemptEnd, 'httpStatus'>): Records['jobs'] => {
  const job = kind.effects?.[name]?.(after, undefined, { id: `${after.id}:${after.rev}:0`, at: after.updatedAt })
  if (!job) throw new Error(`a delivery has no effect ${name}`)
  // The task that may disable the endpoint needs the delivery that was answered 410.
  return httpStatus === 410
    ? [{ ...job, key: `${job.key}:gone`, payload: { ...job.payload, deliveryId: after.id } }]
    : [job]
}
