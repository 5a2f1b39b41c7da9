import { RpcRefusal } from '../../rpc/rpc.ts'

/** A refusal because of a rate limit may not occur the next time. */
const MAX_TRIES = 4

export const retryRefused = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    const answer = await ask().catch(asRefusal)
    if (!(answer instanceof RpcRefusal)) return answer
    if (tries === MAX_TRIES) throw answer
  }
}

/**
 * Queries the state of a block, and a newer state for comparison. Most nodes keep only the states of recent blocks, and
 * their error for a pruned state is often the same as for a rate limit. A pruned state is refused at every call, also a
 * single one, while the newer state is not. Anything less certain is asked again, and finally the refusal is thrown.
 */
export const orPruned = async <T>(ask: () => Promise<T>, askNewer: () => Promise<unknown>): Promise<T | 'pruned'> => {
  for (let tries = 1; ; tries++) {
    const answer = await askInPattern(ask, askNewer)
    if (!(answer instanceof RpcRefusal)) return answer
    if (tries === MAX_TRIES) throw answer
  }
}

/**
 * The order of the calls. A limit of calls per second cannot refuse two consecutive calls and accept two others in
 * every such pattern.
 */
const CALL_ORDER = ['it', 'newer', 'newer', 'it', 'it', 'newer'] as const

const askInPattern = async <T>(ask: () => Promise<T>, askNewer: () => Promise<unknown>) => {
  for (const each of CALL_ORDER) {
    if (each === 'it') {
      const answer = await ask().catch(asRefusal)
      if (!(answer instanceof RpcRefusal) || answer.code === LIMIT_EXCEEDED) return answer
    } else {
      const answer = await askNewer().catch(asRefusal)
      if (answer instanceof RpcRefusal) return answer
    }
  }
  return 'pruned'
}

/** With this code, the state may exist: it is a rate limit. */
export const LIMIT_EXCEEDED = -32005

export const asRefusal = (error: unknown): RpcRefusal => {
  if (error instanceof RpcRefusal) return error
  throw error
}
