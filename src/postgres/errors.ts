/** What a failed statement says about itself, judged by code alone. */

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** The constraint that refused the statement. */
export const constraintOf = (error: unknown): string | undefined =>
  error instanceof Error && 'constraint_name' in error && typeof error.constraint_name === 'string'
    ? error.constraint_name
    : undefined

/**
 * `lost`: the statement may or may not have been carried out. `aborted`: it was not, and is worth trying
 * again as it is. `final`: it was not, and never will be.
 */
export const judgeError = (error: unknown): 'lost' | 'aborted' | 'final' => {
  const code = codeOf(error)
  if (code === undefined) return 'final'
  if (aborted.has(code) || oldPlan.has(code) || code.startsWith('53')) return 'aborted'
  if (lost.has(code) || /^(08|57P|58)/.test(code)) return 'lost'
  return 'final'
}

/** A statement was told what is no answer to it: judged as `lost`, since only the database knows what became of it. */
export const answerLost = (why: string): Error => Object.assign(new Error(why), { code: 'ECONNRESET' })

/** The row of a statement that has one whatever is in the tables: without it, its answer was lost on the way. */
export const onlyRow = <T>([row]: readonly T[]): T => {
  if (row === undefined) throw answerLost('a statement that always has a row was answered without one')
  return row
}

/** A statement, here or in what caused this, met a database that was going or gone. Nobody is to blame for it. */
export const isAway = (error: unknown): boolean =>
  error instanceof Error &&
  // Only what a statement has failed with knows its query: a socket's error may be of anything else.
  (('query' in error && (judgeError(error) === 'lost' || isOfOldPlan(error))) || isAway(error.cause))

/** The table has another shape since the connection has prepared the statement; by now it has forgotten that. */
const isOfOldPlan = (error: unknown): boolean => oldPlan.has(codeOf(error) ?? '')

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
  // No connection was opened, since this machine has no room for one.
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  '25006', // read-only: a standby, or an operator at work
])

// And classes 08, connections, 57P, the server ending, and 58, its disk.
const lost = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ERR_SOCKET_CLOSED',
  'ETIMEDOUT',
])
