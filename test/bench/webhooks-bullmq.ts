import { startProgram } from './program.ts'
import type { BullmqOptions } from './webhooks-bullmq-program.ts'
import type { Receiver } from './webhooks-receiver.ts'
import { openRedis } from './webhooks-redis.ts'

/** The peer: a BullMQ worker with a Redis of its own. */
export type Bullmq = AsyncDisposable & {
  perSecond(receiver: Receiver, options: BullmqOptions): Promise<number>
}

/** Returns the reason where it cannot be measured. */
export const openBullmq = async (): Promise<Bullmq | string> => {
  try {
    import.meta.resolve('bullmq')
  } catch {
    return 'bullmq is not installed'
  }
  const redis = await openRedis()
  if (!redis) return 'there is no redis-server'
  return {
    perSecond: async ({ port }, options) => {
      // A process of its own each time, so that it does not slow other rounds.
      await using program = await startProgram(
        './webhooks-bullmq-program.ts',
        `${redis.port}`,
        `${port}`,
        JSON.stringify(options),
      )
      return JSON.parse(program.output).perSecond
    },
    [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
  }
}
