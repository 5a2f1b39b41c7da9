import type { ReadonlySignal } from '@preact/signals'
import type { QueryObserverOptions, QueryObserverResult } from '@tanstack/query-core'
import { useContext } from 'preact/hooks'
import { CacheContext, readAgain, useQuery } from '../../api/query.ts'
import { useLive } from './live.ts'
import { useScope, useShop } from './shop.ts'

export type Scoped = ReturnType<typeof useScope> & { readonly call: ReturnType<typeof useShop>['session']['call'] }

const POLL_MS = 15_000
const SLOW_POLL_MS = 60_000
/** Figures are sums of many records: with or without a stream, they are read no more often. */
const FIGURES_POLL_MS = 30_000

/** What the event stream reports: these records are read again when they change. */
const streamed = ['payments', 'links', 'refunds', 'disputes', 'invoices', 'plans', 'subscriptions']

/**
 * How often records are read again while there is a stream. Without an event, a refund gets confirmations and can begin to
 * need attention, because a time has passed, and the totals of a customer follow its payments: their own pages show that
 * soon, and lists of them within a minute.
 */
const pollMsOf = (section: unknown, part: unknown): number | false => {
  if (section === 'analytics') return FIGURES_POLL_MS
  if (section === 'refunds' || section === 'customers') return part === 'one' ? POLL_MS : SLOW_POLL_MS
  return streamed.includes(String(section)) ? false : POLL_MS
}

/**
 * Records of this shop in this mode. Those that the event stream does not report, and all while there is no stream, are read
 * again every 15 seconds while the page is visible.
 */
export const useShopQuery = <Data>(
  key: readonly unknown[],
  read: (scope: Scoped, signal: AbortSignal) => Promise<Data>,
  /** What is shown until the first data of another key comes. */
  options: Pick<QueryObserverOptions<Data>, 'placeholderData'> = {},
): ReadonlySignal<QueryObserverResult<Data>> => {
  const { session } = useShop()
  const scope = useScope()
  const pollMs = pollMsOf(key[0], key[1])
  const isLive = useLive()?.isLive.value ?? false
  return useQuery<Data>({
    queryKey: [scope.merchantId, scope.livemode, ...key],
    queryFn: ({ signal }) => read({ ...scope, call: session.call }, signal),
    // Nothing says that these have changed since they were shown last.
    ...(pollMs !== false && { refetchOnMount: 'always' }),
    refetchInterval: isLive || key[0] === 'analytics' ? pollMs : POLL_MS,
    ...options,
  })
}

/** Reads records again that have changed, by the beginning of their key, where pages show them. */
export const useRefresh = () => {
  const cache = useContext(CacheContext)
  const { merchantId, livemode } = useScope()
  return (...key: readonly unknown[]): Promise<void> => readAgain(cache, [merchantId, livemode, ...key])
}
