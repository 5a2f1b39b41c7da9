import { type RpcAnswer, RpcFault } from './rpc.ts'

/** After so long a node that limits its callers takes something again, if it does not say when. */
const LIMITED_MS = 500

export type RetryPolicy = {
  /** It has answered nothing since it was waited for, or never has. */
  readonly isSilent: boolean
  /** It has answered something: it is there, and only asked too soon. */
  renew(): void
  /** For how long to leave alone a node that answers so; undefined where that is not worth it. */
  pauseFor(no: RpcAnswer): number | undefined
}

/**
 * With a node that limits its callers, until the question's time is over. Who has others to ask waits only for
 * one that has told something of it.
 */
export const openRetryPolicy = ({ deadline, patient }: { deadline: number; patient: boolean }): RetryPolicy => {
  let hasTold = false
  let waits = 0
  return {
    get isSilent() {
      return !hasTold || waits > 0
    },
    renew: () => {
      hasTold = true
      waits = 0
    },
    pauseFor: no => {
      const retryAfterMs = no instanceof RpcFault ? no.retryAfterMs : undefined
      const pauseMs = Math.max(retryAfterMs ?? 0, LIMITED_MS * 2 ** waits++)
      const isWorth = (patient || hasTold) && performance.now() + pauseMs <= deadline
      return isWorth ? pauseMs : undefined
    },
  }
}
