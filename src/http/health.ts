import type { LockWait } from '../actors/lockouts.ts'
import * as docs from './docs/service.ts'
import { forAnybody, type Route } from './route.ts'

/** What is wrong with a part of the service, in a few words; undefined when nothing is. */
export type Check = () => Promise<string | undefined>

/**
 * `/healthz` says that the process lives, `/readyz` that it can do its work. A chain in trouble and a record that is
 * locked are reported and leave the service ready: all others go on.
 */
export const healthRoutes = (
  checks: Readonly<Record<string, Check>>,
  chains: () => Readonly<Record<string, string>> = () => ({}),
  lockWait: () => LockWait | undefined = () => undefined,
): readonly Route[] => [
  forAnybody('GET', { path: '/healthz', docs: docs.healthz, handle: () => ({ status: 200, body: { status: 'ok' } }) }),
  forAnybody('GET', {
    path: '/readyz',
    docs: docs.readyz,
    handle: async () => {
      const answers = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => [name, (await inTime(check)) ?? 'ok'] as const),
      )
      const ready = answers.every(([, answer]) => answer === 'ok')
      const body = {
        status: ready ? 'ready' : 'not ready',
        checks: Object.fromEntries(answers),
        chains: chains(),
        locks: locksOf(lockWait()),
      }
      return { status: ready ? 200 : 503, body }
    },
  }),
]

/** A wait that an operator should end. */
const LONG_WAIT_MS = 30_000

const locksOf = (wait: LockWait | undefined): string =>
  wait && wait.ms >= LONG_WAIT_MS
    ? `a ${wait.kind} has waited ${Math.floor(wait.ms / 1_000)} s for a row that another transaction has locked`
    : 'ok'

/** Whoever asks has given up long before a broken connection does. A fault's own words may hold secrets. */
export const inTime = (check: Check): Promise<string | undefined> => {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const timer = setTimeout(() => resolve('no answer'), 2_000)
  check()
    .then(resolve, () => resolve('failed'))
    .finally(() => clearTimeout(timer))
  return promise
}
