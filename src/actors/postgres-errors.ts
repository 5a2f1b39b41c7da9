/** What a failed statement says about itself, judged by code alone. */

type PostgresError = Error & { readonly code: string; readonly detail: string; readonly constraint_name?: string }

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Raised by commit_actors(): rows that the batch would insert are already there. */
export const isDuplicateRows = (error: unknown): error is PostgresError => codeOf(error) === 'PM001'

/** The constraint that refused the statement. */
export const constraintOf = (error: unknown): string | undefined =>
  error instanceof Error && 'constraint_name' in error && typeof error.constraint_name === 'string'
    ? error.constraint_name
    : undefined

/**
 * The statement may or may not have been carried out: the connection was lost on the way there or back.
 * `aborted` is certain not to have been carried out, and worth trying again as it is.
 */
export const judgeError = (error: unknown): 'lost' | 'aborted' | 'final' => {
  const code = codeOf(error)
  if (code === undefined) return 'final'
  if (aborted.has(code)) return 'aborted'
  if (lost.has(code) || code.startsWith('08') || code.startsWith('57P')) return 'lost'
  return 'final'
}

const aborted = new Set([
  '40001', // serialization failure
  '40P01', // deadlock detected
  '55P03', // lock not available
  '57014', // canceled: statement timeout or an operator
  '53300', // too many connections
  '53200', // out of memory
  '25006', // read-only: a standby, or an operator at work
])

const lost = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'ERR_SOCKET_CLOSED',
])
