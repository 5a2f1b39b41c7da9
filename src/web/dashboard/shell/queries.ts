import type { ReadonlySignal } from '@preact/signals'
import type { QueryObserverResult } from '@tanstack/query-core'
import { useContext } from 'preact/hooks'
import { CacheContext, useQuery } from '../../api/query.ts'
import { useScope, useShop } from './shop.ts'

type Scoped = ReturnType<typeof useScope> & { readonly call: ReturnType<typeof useShop>['session']['call'] }

const POLL_MS = 5_000

/** Records of this shop in this mode. They are read again every five seconds while the page is visible. */
export const useShopQuery = <Data>(
  key: readonly unknown[],
  read: (scope: Scoped, signal: AbortSignal) => Promise<Data>,
): ReadonlySignal<QueryObserverResult<Data>> => {
  const { session } = useShop()
  const scope = useScope()
  return useQuery<Data>({
    queryKey: [scope.merchantId, scope.livemode, ...key],
    queryFn: ({ signal }) => read({ ...scope, call: session.call }, signal),
    refetchInterval: POLL_MS,
  })
}

/** Marks records as changed, by the beginning of their key: pages that show them read them again. */
export const useRefresh = () => {
  const cache = useContext(CacheContext)
  const { merchantId, livemode } = useScope()
  return (...key: readonly unknown[]): Promise<void> =>
    cache.invalidateQueries({ queryKey: [merchantId, livemode, ...key] })
}
