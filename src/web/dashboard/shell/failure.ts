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

/** The field of a form that the server has refused; undefined if the error is about something else. */
export const refusedField = (error: unknown): string | undefined =>
  error instanceof ApiError && (error.code === 'parameter_invalid' || error.code === 'parameter_missing')
    ? error.param
    : undefined
