import type { AttemptOutcome } from './outcome.ts'
import { openTokenBucket } from './token-bucket.ts'
import { afterAnswer, afterSlowRequest, newWindow, SLOW_MS, type Window } from './window.ts'

/** The state of an endpoint in the memory of a sender. It only affects the order and the number of requests. */
export type ScheduledEndpoint = {
  readonly id: string
  window: Window
  /** The number of requests under way. */
  open: number
  /** How many of them have been waiting for longer than `SLOW_MS`. */
  slow: number
  /**
   * A lower bound of the next due time. A claim starts there, because before it the index has only claimed deliveries.
   */
  lowMs: number
  /** When it was last used. */
  usedAt: number
}

/** A request under way. */
export type OpenRequest = { readonly endpoint: ScheduledEndpoint; readonly startedAt: number }

/** How many deliveries may be claimed for an endpoint. */
export type ClaimRequest = { readonly endpoint: ScheduledEndpoint; readonly want: number }

/** How many were claimed. */
export type ClaimResult = { readonly count: number; readonly lastDueMs: number }

/** Maximum of active requests. A request that has waited for ACTIVE_MS does not count: it only occupies a socket. */
const MAX_ACTIVE = 512
const ACTIVE_MS = 250
/** Maximum of requests under way. Each takes about 50 KB. */
const MAX_OPEN = 4_096

const MAX_CLAIMED = 256
/** Maximum per claim for suspect endpoints: a thousand endpoints that do not respond must not delay the others. */
const MAX_CLAIMED_FOR_SUSPECTS = 32
/**
 * The rate for endpoints whose last requests were not answered. Each request to them needs a new connection with a TLS
 * handshake, and a thousand time out together. The rate is twice what is needed to have one request waiting at each.
 */
const UNANSWERED_RATE = { perSecond: 128, burst: 16 }

const FORGET_AFTER_MS = 600_000

/**
 * Decides which endpoints are sent to next, and how many deliveries. The endpoint that was served least recently comes
 * first. If the oldest delivery came first, an endpoint with a long backlog would starve the others.
 */
export const openEndpointScheduler = () => {
  const endpoints = new Map<string, ScheduledEndpoint>()
  /** Endpoints with due deliveries, in the order in which they are served. */
  const due = new Set<ScheduledEndpoint>()
  // In the order of their start, so that a check for old ones can stop at the first young one.
  const active = new Set<OpenRequest>()
  const waiting = new Set<OpenRequest>()
  const slow = new Set<OpenRequest>()
  let suspectsOpen = 0
  const unansweredRate = openTokenBucket(UNANSWERED_RATE)

  const endpointOf = (id: string): ScheduledEndpoint => {
    const existing = endpoints.get(id)
    if (existing) return existing
    const endpoint = { id, window: newWindow, open: 0, slow: 0, lowMs: Number.MAX_SAFE_INTEGER, usedAt: 0 }
    endpoints.set(id, endpoint)
    return endpoint
  }

  /** Records that an endpoint may have due deliveries, none of them due before `lowMs`. */
  const markDue = (id: string, lowMs: number, now: number): void => {
    const endpoint = endpointOf(id)
    endpoint.lowMs = Math.min(endpoint.lowMs, lowMs)
    endpoint.usedAt = now
    due.add(endpoint)
  }

  const nextClaims = (now: number): ClaimRequest[] => {
    const fairShare = Math.max(1, Math.ceil(MAX_ACTIVE / due.size))
    let room = Math.min(MAX_CLAIMED, MAX_ACTIVE - active.size, MAX_OPEN - openRequests())
    let suspectsRoom = Math.min(MAX_CLAIMED_FOR_SUSPECTS, MAX_OPEN / 2 - suspectsOpen)
    const claims: ClaimRequest[] = []
    for (const endpoint of due) {
      if (room <= 0) break
      const forAll = Math.min(endpoint.window.size - endpoint.open, fairShare - endpoint.open, room)
      // Checked first, because most unresponsive endpoints already have their one request under way.
      if (forAll <= 0) continue
      const suspect = isSuspect(endpoint)
      const unanswered = isUnanswered(endpoint)
      const want = Math.min(
        forAll,
        suspect ? suspectsRoom : forAll,
        unanswered ? unansweredRate.available(now) : forAll,
      )
      if (want <= 0) continue
      room -= want
      if (suspect) suspectsRoom -= want
      if (unanswered) unansweredRate.take(want)
      claims.push({ endpoint, want })
    }
    // The other endpoints come next.
    for (const { endpoint } of claims) due.delete(endpoint)
    return claims
  }

  /** To be called after a claim. If as many were claimed as wanted, more may be due from the last due time on. */
  const recordClaim = ({ endpoint, want }: ClaimRequest, { count, lastDueMs }: ClaimResult): void => {
    // Marked as due in the meantime, possibly for an earlier time.
    if (due.has(endpoint)) return
    if (count > 0) endpoint.lowMs = Math.max(endpoint.lowMs, lastDueMs)
    if (count >= want) due.add(endpoint)
  }

  const startRequest = (endpointId: string, now: number): OpenRequest => {
    const endpoint = endpointOf(endpointId)
    const request = { endpoint, startedAt: now }
    endpoint.open++
    endpoint.usedAt = now
    if (isSuspect(endpoint)) suspectsOpen++
    active.add(request)
    return request
  }

  const endRequest = (request: OpenRequest, outcome: AttemptOutcome): void => {
    const { endpoint } = request
    endpoint.open--
    if (slow.delete(request)) endpoint.slow--
    else if (!waiting.delete(request)) active.delete(request)
    endpoint.window = afterAnswer(endpoint.window, outcome)
  }

  /** Updates the states by age. To be called regularly: this costs less than a timer for each request. */
  const refresh = (now: number): void => {
    for (const request of active) {
      if (now - request.startedAt < ACTIVE_MS) break
      active.delete(request)
      waiting.add(request)
    }
    for (const request of waiting) {
      if (now - request.startedAt < SLOW_MS) break
      waiting.delete(request)
      slow.add(request)
      request.endpoint.slow++
      request.endpoint.window = afterSlowRequest(request.endpoint.window)
    }
    suspectsOpen = 0
    for (const endpoint of endpoints.values()) {
      if (isSuspect(endpoint)) suspectsOpen += endpoint.open
      if (endpoint.open === 0 && now - endpoint.usedAt > FORGET_AFTER_MS && !due.has(endpoint))
        endpoints.delete(endpoint.id)
    }
  }

  const openRequests = (): number => active.size + waiting.size + slow.size

  return {
    markDue,
    nextClaims,
    recordClaim,
    startRequest,
    endRequest,
    refresh,
    openRequests,
    hasDue: () => due.size > 0,
  }
}

export type EndpointScheduler = ReturnType<typeof openEndpointScheduler>

const isUnanswered = ({ window }: ScheduledEndpoint): boolean => window.unanswered > 0

const isSuspect = (endpoint: ScheduledEndpoint): boolean => endpoint.slow > 0 || isUnanswered(endpoint)
