/** What a failed statement says about itself, judged by code alone. */

export const sqlStateOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** The constraint that refused the statement. */
export const constraintOf = (error: unknown): string | undefined =>
  error instanceof Error && 'constraint_name' in error && typeof error.constraint_name === 'string'
    ? error.constraint_name
    : undefined

/**
 * `final`: Postgres refused the statement, and would refuse it again. `aborted`: it rolled the statement back, which is
 * worth trying again as it is. `lost`: everything else, whatever it says, since an error that is not a SQLSTATE comes
 * from the path to the server; the statement may or may not have been carried out.
 */
export const judgeError = (error: unknown): 'lost' | 'aborted' | 'final' => {
  const code = sqlStateOf(error)
  if (code === undefined || !SQLSTATE.test(code)) return isThrownHere(error) ? 'final' : 'lost'
  if (aborted.has(code) || oldPlan.has(code) || code.startsWith('53')) return 'aborted'
  return /^(08|57P|58|40003)/.test(code) ? 'lost' : 'final'
}

/** The classes of Postgres and our own, PM: `EPIPE` has five characters too. */
const SQLSTATE = /^([0-9][0-9A-Z]|F0|HV|P0|XX|PM)[0-9A-Z]{3}$/

/** A fault of this program, such as a TypeError: no statement was involved, and no code is on it. */
const isThrownHere = (error: unknown): boolean =>
  !(error instanceof Error) || (sqlStateOf(error) === undefined && !('query' in error))

/** What arrived is not the answer to the statement, or nothing arrived. Only the database knows the outcome. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost'
  readonly code = 'ECONNRESET'
}

/** The row of a statement that has one whatever is in the tables: without it, its answer was lost on the way. */
export const onlyRow = <T>([row]: readonly T[]): T => {
  if (row === undefined) throw new AnswerLost('a statement that always has a row was answered without one')
  return row
}

/** A statement, here or in what caused this, met a database that was going or gone: not a fault of its caller. */
export const isAway = (error: unknown): boolean =>
  error instanceof Error &&
  ((isOfStatement(error) && (judgeError(error) === 'lost' || isOfOldPlan(error))) || isAway(error.cause))

/** A statement failed for a reason that passes: the database was away, busy or locked. */
export const isPassing = (error: unknown): boolean => isOfStatement(error) && judgeError(error) !== 'final'

/** Only what a statement has failed with knows its query, but for a pool that is closed: a socket may be any other. */
const isOfStatement = (error: unknown): boolean =>
  error instanceof Error && ('query' in error || error instanceof AnswerLost || closedPool.has(sqlStateOf(error) ?? ''))

const closedPool = new Set(['CONNECTION_ENDED', 'CONNECTION_DESTROYED'])

/** The statement waited for a lock for longer than its connection allows. Nothing of it was carried out. */
export const isLockedOut = (error: unknown): boolean => sqlStateOf(error) === '55P03'

/** The table has another shape since the connection has prepared the statement; by now it has forgotten that. */
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
  '25006', // read-only: a standby, or an operator at work
])
