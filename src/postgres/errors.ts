/** Classifies the errors of statements by their codes, never by their messages. */

export const sqlStateOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** The name of the violated constraint. */
export const constraintOf = (error: unknown): string | undefined =>
  error instanceof Error && 'constraint_name' in error && typeof error.constraint_name === 'string'
    ? error.constraint_name
    : undefined

/**
 * `final`: Postgres refused the statement, and would refuse it again. `aborted`: it was rolled back and can be retried.
 * `lost`: all other errors, because an error without a SQLSTATE comes from the connection. The statement may or may not
 * have been executed.
 */
export const classifyError = (error: unknown): 'lost' | 'aborted' | 'final' => {
  const code = sqlStateOf(error)
  if (code === undefined || !SQLSTATE.test(code)) return isThrownHere(error) ? 'final' : 'lost'
  if (aborted.has(code) || oldPlan.has(code) || code.startsWith('53')) return 'aborted'
  return /^(08|57P|58|40003)/.test(code) ? 'lost' : 'final'
}

/**
 * The classes of Postgres, and PM, which is this program's. Matched by class, because `EPIPE` has five characters too.
 */
const SQLSTATE = /^([0-9][0-9A-Z]|F0|HV|P0|XX|PM)[0-9A-Z]{3}$/

/** A fault of this program, such as a TypeError: it has neither a code nor a query. */
const isThrownHere = (error: unknown): boolean =>
  !(error instanceof Error) || (sqlStateOf(error) === undefined && !('query' in error))

/** The answer did not arrive, or belongs to another statement. It is unknown whether the statement was executed. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost'
  readonly code = 'ECONNRESET'
}

/** The row of a statement that always returns one. Throws AnswerLost without it, because then the answer was lost. */
export const onlyRow = <T>([row]: readonly T[]): T => {
  if (row === undefined) throw new AnswerLost('a statement that always returns a row was answered without one')
  return row
}

/** Whether the error or one of its causes is a statement that failed because the database was or became unreachable. */
export const isDatabaseUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  ((isOfStatement(error) && (classifyError(error) === 'lost' || isOfOldPlan(error))) ||
    isDatabaseUnreachable(error.cause))

/** Whether a statement failed for a temporary reason: the database was unreachable, busy or locked. */
export const isTransient = (error: unknown): boolean => isOfStatement(error) && classifyError(error) !== 'final'

/** Errors of statements have a `query`, except those of a closed pool. A socket error alone may have another origin. */
const isOfStatement = (error: unknown): boolean =>
  error instanceof Error && ('query' in error || error instanceof AnswerLost || closedPool.has(sqlStateOf(error) ?? ''))

const closedPool = new Set(['CONNECTION_ENDED', 'CONNECTION_DESTROYED'])

/** The statement waited for a lock for longer than `lock_timeout`. It had no effect. */
export const isLockTimeout = (error: unknown): boolean => sqlStateOf(error) === '55P03'

/** The table has changed since the connection prepared the statement. A retry prepares it again. */
const isOfOldPlan = (error: unknown): boolean => oldPlan.has(sqlStateOf(error) ?? '')

const oldPlan = new Set([
  '0A000', // cached plan must not change result type
  '26000', // prepared statement does not exist
])

// And class 53: too many connections, out of memory, disk full.
const aborted = new Set([
  '40001', // serialization failure
  '40P01', // deadlock detected
  '55P03', // lock not available
  '57014', // canceled: statement timeout or an operator
  '25006', // read-only: a standby, or set by an operator
])
