import type { WebhookDelivery } from '../../api/calls.ts'

type Attempt = WebhookDelivery['attempts'][number]

/** How an endpoint answered, by its latest deliveries. */
export type EndpointHealth =
  | { readonly state: 'unused' }
  | { readonly state: 'healthy'; readonly last: Attempt }
  | {
      readonly state: 'retrying' | 'failing'
      readonly last: Attempt
      /** The first failed attempt after the last success. */
      readonly since: string
    }

/** Deliveries of a failing endpoint wait longer and longer, so the latest attempt counts, not the latest delivery. */
export const healthOf = (latest: readonly WebhookDelivery[]): EndpointHealth => {
  const attempts = latest
    .flatMap(({ attempts, status }) => attempts.map(attempt => ({ attempt, status })))
    .filter(({ attempt }) => attempt.outcome !== null)
    .toSorted((a, b) => b.attempt.startedAt.localeCompare(a.attempt.startedAt))
  const [newest] = attempts
  if (!newest) return { state: 'unused' }
  const last = newest.attempt
  const good = attempts.findIndex(({ attempt }) => attempt.outcome === 'delivered')
  if (good === 0) return { state: 'healthy', last }
  const bad = attempts.slice(0, good === -1 ? undefined : good)
  const since = bad.at(-1)?.attempt.startedAt ?? last.startedAt
  return { state: newest.status === 'failed' ? 'failing' : 'retrying', last, since }
}
