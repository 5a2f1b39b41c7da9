import type { LockWait } from '../actors/locked-actors.ts'
import { healthzDocs, readyzDocs } from './docs/service.ts'
import { forAnybody, type Route } from './route.ts'

/** A short description of the problem; undefined if there is none. */
export type HealthCheck = () => Promise<string | undefined>

/**
 * `/healthz` shows that the process is running, `/readyz` that it can work. A problem with a chain and a locked row are
 * reported, but the server stays ready: everything else continues.
 */
export const healthRoutes = (
  checks: Readonly<Record<string, HealthCheck>>,
  chains: () => Readonly<Record<string, string>> = () => ({}),
  lockWait: () => LockWait | undefined = () => undefined,
): readonly Route[] => [
  forAnybody('GET', { path: '/healthz', docs: healthzDocs, handle: () => ({ status: 200, body: { status: 'ok' } }) }),
  forAnybody('GET', {
    path: '/readyz',
    docs: readyzDocs,
    handle: async () => {
      const answers = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => [name, (await withHealthTimeout(check)) ?? 'ok'] as const),
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

/** A wait that an operator should look at. */
const LONG_WAIT_MS = 30_000

const locksOf = (wait: LockWait | undefined): string =>
  wait && wait.ms >= LONG_WAIT_MS
    ? `a ${wait.kind} has waited ${Math.floor(wait.ms / 1_000)} s for a row that another transaction has locked`
    : 'ok'

/**
 * A health check has a shorter timeout than a broken connection. The message of a fault is not shown: it may contain
 * secrets.
 */
export const withHealthTimeout = (check: HealthCheck): Promise<string | undefined> => {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const timer = setTimeout(() => resolve('no answer'), 2_000)
  check()
    .then(resolve, () => resolve('failed'))
    .finally(() => clearTimeout(timer))
  return promise
}
