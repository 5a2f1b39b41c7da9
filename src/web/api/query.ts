import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals'
import {
  type DefaultError,
  type Query,
  QueryClient,
  type QueryKey,
  QueryObserver,
  type QueryObserverOptions,
  type QueryObserverResult,
} from '@tanstack/query-core'
import { createContext } from 'preact'
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from './request.ts'

/** What the pages know of the server, by key. Records are marked as old by the event stream, not by their age. */
export const openCache = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        // A refusal is an answer. What was not reached is tried again twice.
        retry: (count, error) => count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: count => 500 * 2 ** count,
        refetchOnWindowFocus: false,
        // What the browser says about its network is a guess: a request is tried, and shows it.
        networkMode: 'always',
      },
    },
  })

export const CacheContext = createContext<QueryClient>(openCache())

/**
 * Reads records again, by the beginning of their key, and waits until that has ended. A change that the event stream reports
 * in the meantime cancels this reading and begins another one, which is waited for as well.
 */
export const readAgain = async (cache: QueryClient, queryKey: QueryKey): Promise<void> => {
  const began = Date.now()
  const isBehind = ({ state }: Query) => Math.max(state.dataUpdatedAt, state.errorUpdatedAt) < began
  const queries = cache.getQueryCache()
  await cache.invalidateQueries({ queryKey })
  while (queries.findAll({ queryKey, type: 'active', fetchStatus: 'fetching' }).some(isBehind))
    await new Promise<void>(resolve => {
      const stop = queries.subscribe(() => {
        stop()
        resolve()
      })
    })
}

/** What one account has read is not shown to the next. Before the pages are drawn, which would read it. */
export const useForgottenRecords = (userId: string | undefined): void => {
  const cache = useContext(CacheContext)
  const last = useRef(userId)
  if (last.current !== userId) cache.clear()
  last.current = userId
}

/** A query of the cache as a signal: only what reads it is drawn again. */
export const useQuery = <Data, Key extends QueryKey = QueryKey>(
  options: QueryObserverOptions<Data, DefaultError, Data, Data, Key>,
): ReadonlySignal<QueryObserverResult<Data>> => {
  const cache = useContext(CacheContext)
  const [observer] = useState(() => new QueryObserver(cache, options))
  const result = useSignal(observer.getCurrentResult())
  // Before the frame is drawn: the request need not wait for it.
  useLayoutEffect(() => observer.subscribe(next => (result.value = next)), [observer])
  // The key may have changed, with the address of the page.
  useLayoutEffect(() => observer.setOptions(options))
  return useComputed(() => result.value)
}
