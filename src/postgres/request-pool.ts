import { ANSWER_TIMEOUT_S, connect, LOCK_TIMEOUT_MS, type Sql } from './connect.ts'

/**
 * The pool of requests. Its lists have an index for any value of their filters, so a statement is planned once: with many rows
 * Postgres would plan each search again for its values, which takes 2 to 5 ms for an answer that takes 0.1 ms.
 */
export const connectForRequests = (url: string): Sql =>
  connect(url, {
    ...{ byIndex: true, lockMs: LOCK_TIMEOUT_MS, answerS: ANSWER_TIMEOUT_S },
    session: { plan_cache_mode: 'force_generic_plan' },
  })
