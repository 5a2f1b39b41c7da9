import { ApiError } from '../../api/request.ts'

/** What an error note shows of an error. */
export const shownFailure = (error: unknown) => {
  if (!(error instanceof ApiError)) {
    // A defect of the page: the console has the place.
    console.error(error)
    return { code: 'internal_error' }
  }
  const { code, requestId, retryAfterS } = error
  return { code, requestId, retryAfterS }
}
