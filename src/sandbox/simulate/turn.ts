import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../../actors/services.ts'
import { refuse } from '../../errors.ts'
import { uuidv7 } from '../../ids.ts'
import {
  awaitSimulation,
  beginSimulation,
  checkSimulation,
  endSimulation,
  type NewSimulation,
  type OtherSimulation,
} from '../../queries/simulations.ts'

/** Must be less than `is_acted` allows (sql/105-chain-functions.sql). */
const HEARTBEAT_MS = 1_000
const MAX_WAIT_MS = 30_000

/** The right to run a scenario. It can be lost if the process misses heartbeats. */
export type Turn = {
  /** Throws if the right was lost. To be called before steps that must not run in parallel with others. */
  confirm(): Promise<void>
}

/**
 * Runs a scenario when it may run: one at a time for a payment, and no other in parallel with a reorganization, over
 * all processes. Waits for a scenario whose process was killed to expire, which takes seconds.
 */
export const runInTurn = async <T>(
  { sql, clock, random, log }: Pick<Services, 'sql' | 'clock' | 'random' | 'log'>,
  simulation: Omit<NewSimulation, 'holder'>,
  run: (turn: Turn) => Promise<T>,
): Promise<T> => {
  const own = { ...simulation, holder: uuidv7(clock.now(), random) }
  for (let other = await beginSimulation(sql, own); other; other = await beginSimulation(sql, own))
    if (!(await hasProcessEnded(sql, other))) return refuseOther(simulation, other.byKey)
  const heartbeat = setInterval(() => {
    awaitSimulation(sql, own).catch(err => log.warn({ err }, 'sandbox scenario heartbeat failed, retrying'))
  }, HEARTBEAT_MS)
  try {
    const until = performance.now() + MAX_WAIT_MS
    for (let state = await awaitSimulation(sql, own); state !== 'turn'; state = await awaitSimulation(sql, own)) {
      if (state === 'lost' || performance.now() > until)
        refuse('service_unavailable', { message: 'Other scenarios are in progress. Try again.', retryAfter: 5 })
      await sleep(50)
    }
    return await run({
      confirm: async () => {
        if ((await awaitSimulation(sql, own)) !== 'turn')
          refuse('service_unavailable', { message: 'The scenario took too long. Try again.', retryAfter: 5 })
      },
    })
  } finally {
    clearInterval(heartbeat)
    await endSimulation(sql, own)
  }
}

/** Whether the process of a scenario has ended. Waits until that is known, which takes seconds. */
const hasProcessEnded = async (sql: Services['sql'], other: OtherSimulation): Promise<boolean> => {
  for (;;) {
    const state = await checkSimulation(sql, other)
    if (state !== 'silent') return state === 'dead'
    await sleep(50)
  }
}

const refuseOther = ({ idempotencyKey }: Omit<NewSimulation, 'holder'>, byKey: string | null): never =>
  idempotencyKey !== null && idempotencyKey === byKey
    ? refuse('idempotency_key_in_use')
    : refuse('state_conflict', { message: 'Another scenario of this payment is in progress.' })
