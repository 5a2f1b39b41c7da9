import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals'
import {
  type DefaultError,
  QueryClient,
  type QueryKey,
  QueryObserver,
  type QueryObserverOptions,
  type QueryObserverResult,
} from '@tanstack/query-core'
import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
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
  useEffect(() => observer.subscribe(next => (result.value = next)), [observer])
  // The key may have changed, with the address of the page.
  useEffect(() => observer.setOptions(options))
  return useComputed(() => result.value)
}
