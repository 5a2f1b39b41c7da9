import type { ReadonlySignal } from '@preact/signals'
import type { QueryObserverResult } from '@tanstack/query-core'
import { useContext } from 'preact/hooks'
import { CacheContext, useQuery } from '../../api/query.ts'
import { useLive } from './live.ts'
import { useScope, useShop } from './shop.ts'

type Scoped = ReturnType<typeof useScope> & { readonly call: ReturnType<typeof useShop>['session']['call'] }

const POLL_MS = 15_000

/** What the event stream reports: these records are read again when they change. */
const streamed = ['payments', 'links']

/**
 * Records of this shop in this mode. Those that the event stream does not report, and all while there is no stream, are read
 * again every 15 seconds while the page is visible.
 */
export const useShopQuery = <Data>(
  key: readonly unknown[],
  read: (scope: Scoped, signal: AbortSignal) => Promise<Data>,
): ReadonlySignal<QueryObserverResult<Data>> => {
  const { session } = useShop()
  const scope = useScope()
  const isLive = useLive()?.isLive.value ?? false
  return useQuery<Data>({
    queryKey: [scope.merchantId, scope.livemode, ...key],
    queryFn: ({ signal }) => read({ ...scope, call: session.call }, signal),
    // Nothing says that these have changed since they were shown last.
    ...(!streamed.includes(String(key[0])) && { refetchOnMount: 'always' }),
    refetchInterval: isLive && streamed.includes(String(key[0])) ? false : POLL_MS,
  })
}

/** Marks records as changed, by the beginning of their key: pages that show them read them again. */
export const useRefresh = () => {
  const cache = useContext(CacheContext)
  const { merchantId, livemode } = useScope()
  return (...key: readonly unknown[]): Promise<void> =>
    cache.invalidateQueries({ queryKey: [merchantId, livemode, ...key] })
}
