import { setTimeout as sleep } from 'node:timers/promises'
import { refuse } from '../../errors.ts'
import { uuidv7 } from '../../ids.ts'
import { awaitSimulation, beginSimulation, endSimulation, type NewSimulation } from '../../queries/simulations.ts'
import type { World } from '../../world.ts'

/** Its work is done, or it is refused, long before it would be taken for dead. */
const KEEP_EVERY_MS = 3_000
const LONGEST_WAIT_MS = 30_000

/** Nothing can be said of a scenario that is not its process's any more. */
export type Turn = {
  /** Before what must not be done beside others. */
  confirm(): Promise<void>
}

/**
 * Acts a scenario when it is its turn: one at a time for a payment, and nobody beside a reorganisation, in
 * whatever process. What a process that was killed has held is free after some seconds.
 */
export const inTurn = async <T>(
  { sql, clock, random, log }: Pick<World, 'sql' | 'clock' | 'random' | 'log'>,
  asked: Omit<NewSimulation, 'holder'>,
  act: (turn: Turn) => Promise<T>,
): Promise<T> => {
  const mine = { ...asked, holder: uuidv7(clock.now(), random) }
  const other = await beginSimulation(sql, mine)
  if (other) return refuseOther(asked, other.byKey)
  const keeping = setInterval(() => {
    awaitSimulation(sql, mine).catch(err => log.warn({ err }, 'a scenario cannot say that it goes on'))
  }, KEEP_EVERY_MS)
  try {
    const until = performance.now() + LONGEST_WAIT_MS
    for (let state = await awaitSimulation(sql, mine); state !== 'turn'; state = await awaitSimulation(sql, mine)) {
      if (state === 'lost' || performance.now() > until)
        refuse('service_unavailable', { message: 'Other scenarios are under way: try again.', retryAfter: 5 })
      await sleep(50)
    }
    return await act({
      confirm: async () => {
        if ((await awaitSimulation(sql, mine)) !== 'turn')
          refuse('service_unavailable', { message: 'The scenario took too long: try again.', retryAfter: 5 })
      },
    })
  } finally {
    clearInterval(keeping)
    await endSimulation(sql, mine)
  }
}

const refuseOther = ({ idempotencyKey }: Omit<NewSimulation, 'holder'>, byKey: string | null): never =>
  idempotencyKey !== null && idempotencyKey === byKey
    ? refuse('idempotency_key_in_use')
    : refuse('state_conflict', { message: 'Another scenario of this payment is under way.' })
