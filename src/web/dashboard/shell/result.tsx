import type { QueryObserverResult } from '@tanstack/query-core'
import type { ComponentChildren } from 'preact'
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
  const retry = () => void refetch()
  // Data that was shown stays while the server cannot be reached. A refusal ends that: access may have been lost.
  if (error && (data === undefined || isRefusal(error)))
    return <ErrorNote failure={shownFailure(error)} onRetry={retry} />
  if (data !== undefined) return <>{children(data)}</>
  return <Loading skeleton={skeleton} onRetry={retry} />
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500
