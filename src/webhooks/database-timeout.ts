import { setTimeout as sleep } from 'node:timers/promises'
import { AnswerLost } from '../postgres/errors.ts'

const TIMEOUT_MS = 10_000

/** Rejects if the database does not answer: on a network path that drops packets no answer ever arrives. */
export const withDatabaseTimeout = async <T>(query: Promise<T>): Promise<T> => {
  const answered = new AbortController()
  const late = sleep(TIMEOUT_MS, undefined, { signal: answered.signal }).then(() => {
    throw new AnswerLost('no answer')
  })
  try {
    return await Promise.race([query, late])
  } finally {
    late.catch(() => {})
    answered.abort()
  }
}
