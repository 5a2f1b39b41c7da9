import { setTimeout as sleep } from 'node:timers/promises'
import { AnswerLost } from '../postgres/errors.ts'

const PATIENCE_MS = 10_000

/** Of the database: a path that is broken without a reset answers nothing, for ever. */
export const withDatabaseTimeout = async <T>(asked: Promise<T>): Promise<T> => {
  const answered = new AbortController()
  const late = sleep(PATIENCE_MS, undefined, { signal: answered.signal }).then(() => {
    throw new AnswerLost('no answer')
  })
  try {
    return await Promise.race([asked, late])
  } finally {
    late.catch(() => {})
    answered.abort()
  }
}
