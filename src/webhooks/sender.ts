import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../actors/services.ts'
import { encodeId } from '../ids.ts'
import type { Keyring } from '../keyring.ts'
import type { Claimed } from '../queries/sending.ts'
import { bodyOf, MAX_BODY_BYTES } from './body.ts'
import { withDatabaseTimeout } from './database-timeout.ts'
import { type DuePollerOptions, openDuePoller } from './due-poller.ts'
import { type DecryptedEndpoint, openEndpointCache } from './endpoint-cache.ts'
import { type ClaimRequest, type ClaimResult, type OpenRequest, openEndpointScheduler } from './endpoint-scheduler.ts'
import { deliverToInbox } from './inbox.ts'
import { type AttemptOutcome, attemptEndOf, claimedActor, withoutRequest } from './outcome.ts'
import type { Poster } from './post.ts'
import { LEASE_MS, openReaper } from './reaper.ts'
import { signedHeaders } from './signature.ts'
import type { OpenClaim } from './step-retry.ts'
import { type ClaimedDelivery, openSteps } from './steps.ts'

export type SenderOptions = DuePollerOptions & {
  readonly keyring: Keyring
  readonly poster: Poster
  readonly reapMs?: number
  /** A delivery that was claimed longer ago is not sent. */
  readonly staleMs?: number
  /** How long requests under way may take when the process stops: as long as the timeout of a request. */
  readonly stopGraceMs?: number
}

export type Sender = {
  /** Deliveries may be due, for these endpoints or for any. */
  wake(endpointIds?: readonly string[]): void
  /** The number of requests under way, and of ended ones by outcome. */
  counts(): { readonly open: number; readonly ended: ReadonlyMap<string, number> }
  /** Claims no more deliveries, and waits for requests under way. */
  stop(): Promise<void>
}

/**
 * A delivery that was claimed longer ago is not sent: the lease would end before the answer. Happens after a
 * suspension.
 */
const STALE_MS = LEASE_MS - 15_000

/** A named endpoint may have deliveries that have been due for this long, because commits can be late. */
const LATE_MS = 60_000

const action = 'start with the SECRET_KEY that encrypted the secret'

/** Claims due deliveries, sends them and records the outcomes. Any number of processes can run a sender. */
export const openSender = (
  services: Services,
  { keyring, poster, reapMs, staleMs = STALE_MS, stopGraceMs = 15_500, ...pollOptions }: SenderOptions,
): Sender => {
  const { sql, clock, random, log } = services
  const scheduler = openEndpointScheduler()
  const endpointCache = openEndpointCache(sql, keyring)
  const requests = new Map<ClaimedDelivery, OpenRequest>()
  const endedByOutcome = new Map<string, number>()
  let stopping = false
  let isOver = false

  const onClaimed = (claimed: readonly Claimed[], claim: OpenClaim, claimRequests: readonly ClaimRequest[]): void => {
    const counts = new Map<string, ClaimResult>()
    const uncached = new Map<string, [Claimed, ClaimedDelivery][]>()
    for (const each of claimed) {
      const { count, lastDueMs } = counts.get(each.endpointId) ?? NOTHING
      counts.set(each.endpointId, { count: count + 1, lastDueMs: Math.max(lastDueMs, each.dueAt.getTime()) })
      const held = { actor: claimedActor(each, claim.at), claim }
      requests.set(held, scheduler.startRequest(each.endpointId, performance.now()))
      const endpoint = endpointCache.find(each)
      if (isOver) finish(held, withoutRequest('lost'))
      else if (endpoint) send(each, held, endpoint)
      else uncached.set(each.endpointId, [...(uncached.get(each.endpointId) ?? []), [each, held]])
    }
    for (const claimRequest of claimRequests)
      scheduler.recordClaim(claimRequest, counts.get(claimRequest.endpoint.id) ?? NOTHING)
    if (uncached.size > 0) void sendAfterRead(uncached)
  }

  const sendAfterRead = async (uncached: ReadonlyMap<string, readonly [Claimed, ClaimedDelivery][]>): Promise<void> => {
    const read = await readEndpoints([...uncached.keys()])
    for (const [id, deliveries] of uncached) {
      const endpoint = read?.get(id)
      if (endpoint instanceof Error)
        log.error(
          { err: endpoint, endpoint: encodeId('whe', id), action },
          'webhook not signed, endpoint secret unreadable',
        )
      for (const [claimed, held] of deliveries) {
        // The sender has stopped and given it up.
        if (!requests.has(held)) continue
        if (!endpoint) finish(held, withoutRequest('lost'))
        else if (endpoint instanceof Error) finish(held, withoutRequest('not_signed'))
        else send(claimed, held, endpoint)
      }
    }
  }

  /** Returns undefined if the database does not answer before it is too late to send. */
  const readEndpoints = async (ids: readonly string[]) => {
    for (const until = performance.now() + staleMs; !isOver && performance.now() < until; await sleep(100)) {
      const read = await withDatabaseTimeout(endpointCache.read(ids)).catch((err: unknown) =>
        log.warn({ err }, 'webhook endpoints not read, retrying'),
      )
      if (read) return read
    }
    return undefined
  }

  const send = (claimed: Claimed, held: ClaimedDelivery, endpoint: DecryptedEndpoint): void => {
    const { eventId: id, livemode, endpointId } = claimed
    const body = Buffer.from(bodyOf(claimed))
    const at = clock.now()
    // Measured by a monotonic clock.
    const heldMs = performance.now() - held.claim.askedAt
    if (heldMs > staleMs) finish(held, withoutRequest('lost'))
    else if (body.length > MAX_BODY_BYTES) finish(held, withoutRequest('body_too_large'))
    else {
      const headers = signedHeaders({ secrets: endpoint.secrets(at), id, body, at })
      const signedS = Math.floor(at.getTime() / 1_000)
      const sent = endpoint.isInbox
        ? deliverToInbox(services, { endpointId, endpoint, headers, body })
        : poster.post({ url: endpoint.url, livemode, headers, body })
      void sent.then(outcome => finish(held, { ...outcome, signedS }))
    }
  }

  const finish = (held: ClaimedDelivery, outcome: AttemptOutcome): void => {
    const request = requests.get(held)
    // Already given up as lost.
    if (!request) return
    requests.delete(held)
    scheduler.endRequest(request, outcome)
    endedByOutcome.set(outcome.outcome, (endedByOutcome.get(outcome.outcome) ?? 0) + 1)
    steps.end(held, attemptEndOf(Number(held.actor.context.attempts), outcome, clock.now(), random))
  }

  const steps = openSteps(services, {
    nextClaims: () => (stopping ? [] : scheduler.nextClaims(performance.now())),
    onClaimed,
  })

  const markDue = (endpointId: string, dueMs: number): void => {
    scheduler.markDue(endpointId, dueMs, performance.now())
    steps.wake()
  }
  const duePoller = openDuePoller(
    services,
    ({ endpointId, dueAt }) => {
      const inMs = dueAt.getTime() - clock.now().getTime()
      if (inMs <= 0) markDue(endpointId, dueAt.getTime())
      else setTimeout(() => markDue(endpointId, dueAt.getTime()), inMs)
    },
    pollOptions,
  )
  const reaper = openReaper(services, reapMs)
  const refreshTimer = setInterval(() => {
    scheduler.refresh(performance.now())
    if (scheduler.hasDue()) steps.wake()
  }, 50)

  return {
    wake: endpointIds => {
      const dueMs = clock.now().getTime() - LATE_MS
      if (endpointIds) for (const id of endpointIds) markDue(id, dueMs)
      else duePoller.pollNow()
    },
    counts: () => ({ open: requests.size, ended: endedByOutcome }),
    stop: async () => {
      stopping = true
      const until = performance.now() + stopGraceMs
      const requestsEnded = async () => {
        // The step under way may claim more deliveries.
        while ((steps.isRunning() || requests.size > 0) && performance.now() < until) await sleep(20)
      }
      const idle = Promise.all([duePoller.stop(), reaper.stop()])
      await requestsEnded()
      clearInterval(refreshTimer)
      // Requests that end later are ignored.
      isOver = true
      for (const held of requests.keys()) finish(held, withoutRequest('lost'))
      poster.close()
      await Promise.race([steps.close(), sleep(2_000, undefined, { ref: false })])
      await idle
    },
  }
}

const NOTHING: ClaimResult = { count: 0, lastDueMs: 0 }
