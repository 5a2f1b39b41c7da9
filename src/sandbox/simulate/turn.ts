import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../../actors/services.ts'
import { refuse } from '../../errors.ts'
import { uuidv7 } from '../../ids.ts'
import {
  awaitSimulation,
  beginSimulation,
  endSimulation,
  lookAtSimulation,
  type NewSimulation,
  type OtherSimulation,
} from '../../queries/simulations.ts'

/** Less than `is_acted` allows for (sql/105-chain-functions.sql). */
const KEEP_EVERY_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/** Nothing can be said of a scenario that is not its process's any more. */
export type Turn = {
  /** Before what must not be done beside others. */
  confirm(): Promise<void>
}

/**
 * Acts a scenario when it is its turn: one at a time for a payment, and nobody beside a reorganisation, in
 * whatever process. A scenario whose process was killed is over within seconds, and is waited for.
 */
export const inTurn = async <T>(
  { sql, clock, random, log }: Pick<Services, 'sql' | 'clock' | 'random' | 'log'>,
  asked: Omit<NewSimulation, 'holder'>,
  act: (turn: Turn) => Promise<T>,
): Promise<T> => {
  const mine = { ...asked, holder: uuidv7(clock.now(), random) }
  for (let other = await beginSimulation(sql, mine); other; other = await beginSimulation(sql, mine))
    if (!(await isLeft(sql, other))) return refuseOther(asked, other.byKey)
  const keeping = setInterval(() => {
    awaitSimulation(sql, mine).catch(err => log.warn({ err }, 'sandbox scenario heartbeat failed, retrying'))
  }, KEEP_EVERY_MS)
  try {
    const until = performance.now() + LONGEST_WAIT_MS
    for (let state = await awaitSimulation(sql, mine); state !== 'turn'; state = await awaitSimulation(sql, mine)) {
      if (state === 'lost' || performance.now() > until)
        refuse('service_unavailable', { message: 'Other scenarios are in progress. Try again.', retryAfter: 5 })
      await sleep(50)
    }
    return await act({
      confirm: async () => {
        if ((await awaitSimulation(sql, mine)) !== 'turn')
          refuse('service_unavailable', { message: 'The scenario took too long. Try again.', retryAfter: 5 })
      },
    })
  } finally {
    clearInterval(keeping)
    await endSimulation(sql, mine)
  }
}

/** Whether the process of a scenario was killed. That shows within seconds, and is not known before. */
const isLeft = async (sql: Services['sql'], other: OtherSimulation): Promise<boolean> => {
  for (;;) {
    const state = await lookAtSimulation(sql, other)
    if (state !== 'silent') return state === 'dead'
    await sleep(50)
  }
}

const refuseOther = ({ idempotencyKey }: Omit<NewSimulation, 'holder'>, byKey: string | null): never =>
  idempotencyKey !== null && idempotencyKey === byKey
    ? refuse('idempotency_key_in_use')
    : refuse('state_conflict', { message: 'Another scenario of this payment is in progress.' })
