import { Refusal } from '../errors.ts'

/**
 * Runs `work` when a slot is free. The callers that wait are served in turn, so that one with many requests delays
 * another by one request. With a full queue the caller that has most requests waiting loses its latest one.
 */
export type FairQueue = <T>(caller: string, work: () => Promise<T>) => Promise<T>

export type FairQueueOptions = { readonly atOnce: number; readonly waiting: number; readonly waitMs: number }

export const openFairQueue = ({ atOnce, waiting, waitMs }: FairQueueOptions): FairQueue => {
  let running = 0
  let length = 0
  /** The requests of each caller, oldest first. The caller whose turn is next comes first. */
  const queues = new Map<string, Set<Waiting>>()

  const remove = (caller: string, one: Waiting): void => {
    const queue = queues.get(caller)
    if (!queue?.delete(one)) return
    length--
    clearTimeout(one.timer)
    if (queue.size === 0) queues.delete(caller)
  }

  const refuse = (caller: string, one: Waiting): void => {
    remove(caller, one)
    one.reject(busy())
  }

  /** Makes room in a full queue; false when no caller has more requests waiting than this one. */
  const makeRoom = (caller: string): boolean => {
    const own = queues.get(caller)?.size ?? 0
    const [longest, queue] = [...queues].reduce((a, b) => (b[1].size > a[1].size ? b : a), [caller, new Set<Waiting>()])
    const latest = [...queue].at(-1)
    if (!latest || queue.size <= own + 1) return false
    refuse(longest, latest)
    return true
  }

  const takeTurn = (caller: string): Promise<void> => {
    if (running < atOnce) {
      running++
      return Promise.resolve()
    }
    if (length >= waiting && !makeRoom(caller)) return Promise.reject(busy())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const one: Waiting = { resolve, reject, timer: setTimeout(() => refuse(caller, one), waitMs) }
    const queue = queues.get(caller) ?? new Set()
    queues.set(caller, queue.add(one))
    length++
    return promise
  }

  const passTurn = (): void => {
    for (const [caller, queue] of queues) {
      for (const one of queue) {
        remove(caller, one)
        // Behind the callers that wait for their turn.
        queues.delete(caller)
        if (queue.size > 0) queues.set(caller, queue)
        one.resolve()
        return
      }
    }
    running--
  }

  return async (caller, work) => {
    await takeTurn(caller)
    try {
      return await work()
    } finally {
      passTurn()
    }
  }
}

type Waiting = {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  readonly timer: ReturnType<typeof setTimeout>
}

const busy = () => new Refusal('service_unavailable', { retryAfter: 5 })
