import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { uuidFrom, uuidv7 } from '../ids.ts'
import type { AttemptedDelivery, DeliveryWalk, WalkedDelivery } from '../queries/deliveries.ts'
import * as deliveries from '../queries/deliveries.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import type { AccountActor } from '../queries/security-events.ts'
import type { EndpointName } from '../queries/webhook-endpoints.ts'
import * as endpoints from '../queries/webhook-endpoints.ts'

/** Number of commands that are dispatched together and share commits. */
const BATCH = 250

/** Makes another attempt for a delivery that has ended, or that waits for its next attempt. */
export const redeliver = async (
  { sql, actors }: Services,
  name: RecordKey,
  cause: string,
): Promise<AttemptedDelivery> => {
  const { delivery } = (await deliveries.findDelivery(sql, name)) ?? refuse('resource_not_found')
  if (!(await deliveries.tryAllowRedelivery(sql, delivery.context.endpointId)))
    refuse('state_conflict', { message: 'The webhook endpoint is disabled or deleted.' })
  const outcome = await actors.dispatch({ kind: 'delivery', actor: name.id, event: { type: 'redeliver' }, cause })
  if (!outcome.ok) refuse('state_conflict', { message: 'An attempt is in progress. Wait until it has ended.' })
  return (await deliveries.findDelivery(sql, name)) ?? refuse('resource_not_found')
}

/** Creates a test event about the endpoint, which is delivered only to it. */
export const testEndpoint = async (
  { sql, clock, random }: Services,
  { rendered, ...name }: EndpointName & { readonly rendered: object },
  by: AccountActor,
): Promise<AttemptedDelivery> => {
  const eventId = uuidv7(clock.now(), random)
  const outcome = await endpoints.testWebhookEndpoint(sql, { ...name, eventId, rendered }, by)
  if (outcome === 'not_allowed') refuse('insufficient_role')
  if (outcome === 'missing') refuse('resource_not_found')
  if (outcome === 'disabled')
    refuse('state_conflict', { message: 'The webhook endpoint is disabled. Enable it first.' })
  return (await deliveries.findDeliveryOf(sql, eventId, name.id)) ?? refuse('resource_not_found')
}

/** Starts a job that sends missed deliveries again. Returns their number. */
export const askForRecovery = async (
  { sql, clock, random }: Services,
  { since, ...name }: EndpointName & { readonly since: Date },
  { by, details }: { readonly by: AccountActor; readonly details: object },
): Promise<number> => {
  const recovery = { ...name, since, recoveryId: uuidv7(clock.now(), random) }
  const answer = await endpoints.recoverWebhookEndpoint(sql, recovery, by, details)
  if (answer?.outcome === 'not_allowed') refuse('insufficient_role')
  if (answer?.outcome === 'disabled')
    refuse('state_conflict', { message: 'The webhook endpoint is disabled. Enable it first.' })
  if (answer?.outcome !== 'asked') return refuse('resource_not_found')
  return answer.found
}

export type RecoveryJob = {
  readonly endpointId: string
  readonly recoveryId: string
  readonly since: Date
  readonly cause: string
}

/** Safe to run twice: each delivery accepts the command of a recovery once. */
export const recoverDeliveries = async (
  services: Services,
  { endpointId, recoveryId, since, cause }: RecoveryJob,
  signal: AbortSignal,
): Promise<void> => {
  for (const state of ['failed', 'canceled'] as const)
    for await (const batch of walk(services, { endpointId, state, enabled: true, since }, signal))
      await dispatchToAll(services, batch, {
        type: 'redeliver',
        cause,
        idOf: id => uuidFrom(['recover', recoveryId, id]),
      })
  // Cancels deliveries that became pending while the endpoint was being disabled.
  await cancelOpenDeliveries(services, endpointId, { cause, signal })
}

export type Canceling = {
  /** The caller, for the history. */
  readonly cause: string
  /** Stops after this number. */
  readonly most?: number
  readonly signal?: AbortSignal
}

/** Cancels the open deliveries of an endpoint that is not enabled. Returns whether that was all of them. */
export const cancelOpenDeliveries = async (
  services: Services,
  endpointId: string,
  { cause, most = Number.POSITIVE_INFINITY, signal }: Canceling,
): Promise<boolean> => {
  let canceled = 0
  // A delivery whose attempt has just failed can be pending behind the walk: repeat until none is found.
  for (let before = -1; before < canceled; ) {
    before = canceled
    for (const state of ['pending', 'sending'] as const)
      for await (const batch of walk(services, { endpointId, state, enabled: false }, signal)) {
        await dispatchToAll(services, batch, { type: 'cancel', cause })
        canceled += batch.length
        if (canceled >= most) return false
      }
  }
  return true
}

/** Reads batches. Each is read after the previous one was processed. */
async function* walk({ sql }: Services, of: Omit<DeliveryWalk, 'after' | 'limit'>, signal?: AbortSignal) {
  for (let after: WalkedDelivery | undefined; ; ) {
    // A job that throws is repeated by another process.
    signal?.throwIfAborted()
    const batch = await deliveries.nextDeliveries(sql, { ...of, after, limit: BATCH })
    after = batch.at(-1)
    if (!after) return
    yield batch
  }
}

type DeliveryCommand = {
  readonly type: 'cancel' | 'redeliver'
  readonly cause: string
  readonly idOf?: (id: string) => string
}

/**
 * A delivery that has changed in the meantime refuses the command, which is correct: it is not in this state any more.
 */
const dispatchToAll = async (
  { actors }: Services,
  batch: readonly WalkedDelivery[],
  { type, cause, idOf }: DeliveryCommand,
): Promise<void> => {
  await Promise.all(
    batch.map(({ id }) =>
      actors.dispatch({ kind: 'delivery', actor: id, event: { type }, cause, ...(idOf && { id: idOf(id) }) }),
    ),
  )
}
