import type { QueryObserverResult } from '@tanstack/query-core'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { ApiError } from '../../api/request.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Loading } from '../../parts/skeleton.tsx'
import { shownFailure } from './failure.ts'

type ResultProps<Data> = {
  readonly result: QueryObserverResult<Data>
  readonly skeleton: ComponentChildren
  readonly children: (data: Data) => ComponentChildren
}

/** What a query has brought: a skeleton, an error with a way out, or the data. */
export const Result = <Data,>({ result, skeleton, children }: ResultProps<Data>) => {
  const { data, error, refetch } = result
  const last = useRef<unknown>(undefined)
  if (error) last.current = error
  // A failure stays while the query is read again in the background, and so does the focus on its button.
  const failure = error ?? (hasFailed(result) ? last.current : undefined)
  const retry = () => {
    last.current = undefined
    void refetch()
  }
  // Data that was shown stays while the server cannot be reached. A refusal ends that: access may have been lost.
  if (failure && (data === undefined || isRefusal(failure)))
    return <ErrorNote failure={shownFailure(failure)} onRetry={retry} />
  if (data !== undefined) return <>{children(data)}</>
  return <Loading skeleton={skeleton} onRetry={retry} />
}

/** There is no data yet, and the last attempt to read it has failed. */
export const hasFailed = ({ data, errorUpdateCount }: QueryObserverResult<unknown>): boolean =>
  data === undefined && errorUpdateCount > 0

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500
