import type { AttemptOutcome } from './outcome.ts'

/**
 * How many requests to an endpoint may be under way. With a small fixed number, a distant receiver would be slow: 38
 * deliveries per second at 100 ms. Without a limit, an unresponsive one would occupy all sockets.
 */
export type Window = {
  readonly size: number
  /** How many requests in a row were not answered. */
  readonly unanswered: number
}

const INITIAL = 4
const MAX = 128
const MAX_UNANSWERED = 5

/** A request that waits longer is a sign of too many requests under way. */
export const SLOW_MS = 1_000

export const newWindow: Window = { size: INITIAL, unanswered: 0 }

/**
 * The window after a request: quick answers double it in each round trip. A request that was not sent changes nothing.
 */
export const afterAnswer = ({ size, unanswered }: Window, { outcome, httpStatus, durationMs }: Answer): Window => {
  if (outcome === 'delivered') {
    const grows = (durationMs ?? 0) < SLOW_MS || size < INITIAL
    return { size: grows ? Math.min(size + 1, MAX) : Math.max(Math.floor(size / 2), INITIAL), unanswered: 0 }
  }
  if (httpStatus !== null) {
    const isOverloaded = httpStatus === 429 || httpStatus >= 500
    return { size: isOverloaded ? Math.max(Math.floor(size / 2), 1) : size, unanswered: 0 }
  }
  if (durationMs === null || outcome === 'forbidden_address') return { size, unanswered }
  return { size: unanswered + 1 >= MAX_UNANSWERED ? 1 : size, unanswered: unanswered + 1 }
}

type Answer = Pick<AttemptOutcome, 'outcome' | 'httpStatus' | 'durationMs'>

/** The window when a request has become slow. Its end is not awaited, because it may never be answered. */
export const afterSlowRequest = ({ size, unanswered }: Window): Window => ({
  size: Math.min(size, INITIAL),
  unanswered,
})
