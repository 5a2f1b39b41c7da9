import { Refusal } from '../errors.ts'

/** Runs some at once and lets some more wait; whoever finds the queue full, or waits too long in it, is refused. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

export type TurnsOptions = { readonly atOnce: number; readonly waiting: number; readonly waitMs: number }

export const openTurns = ({ atOnce, waiting, waitMs }: TurnsOptions): Turns => {
  let running = 0
  /** In the order they came: a Set forgets one from the middle as cheaply as the first. */
  const queue = new Set<() => void>()

  const takeTurn = (): Promise<void> => {
    if (running < atOnce) {
      running++
      return Promise.resolve()
    }
    if (queue.size >= waiting) return Promise.reject(busy())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const enter = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      queue.delete(enter)
      reject(busy())
    }, waitMs)
    queue.add(enter)
    return promise
  }

  const passTurn = () => {
    const [next] = queue
    if (!next) {
      running--
      return
    }
    queue.delete(next)
    next()
  }

  return async work => {
    await takeTurn()
    try {
      return await work()
    } finally {
      passTurn()
    }
  }
}

const busy = () => new Refusal('service_unavailable', { retryAfter: 5 })
