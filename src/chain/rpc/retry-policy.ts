import { type RpcAnswer, RpcFault } from './rpc.ts'

/** The pause after a rate limit without a Retry-After. */
const DEFAULT_PAUSE_MS = 500

export type RetryPolicy = {
  /** The node has answered nothing since the last pause, or never. */
  readonly isUnanswered: boolean
  /** Records that the node has answered a call: it was only asked too soon. */
  recordAnswer(): void
  /** The pause before the next try; undefined when there is to be none. */
  pauseFor(refusal: RpcAnswer): number | undefined
}

/**
 * Retries a node that limits its callers until the deadline. Where another node can be asked (not `waitOnRateLimit`),
 * only a node that has already answered part of the batch is waited for.
 */
export const openRetryPolicy = ({
  deadline,
  waitOnRateLimit,
}: {
  deadline: number
  waitOnRateLimit: boolean
}): RetryPolicy => {
  let hasAnswered = false
  let waits = 0
  return {
    get isUnanswered() {
      return !hasAnswered || waits > 0
    },
    recordAnswer: () => {
      hasAnswered = true
      waits = 0
    },
    pauseFor: no => {
      const retryAfterMs = no instanceof RpcFault ? no.retryAfterMs : undefined
      const pauseMs = Math.max(retryAfterMs ?? 0, DEFAULT_PAUSE_MS * 2 ** waits++)
      const isWorth = (waitOnRateLimit || hasAnswered) && performance.now() + pauseMs <= deadline
      return isWorth ? pauseMs : undefined
    },
  }
}
