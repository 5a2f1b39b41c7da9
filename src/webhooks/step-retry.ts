import { setTimeout as sleep } from 'node:timers/promises'
import type { Dependencies } from '../dependencies.ts'
import { uuidv7 } from '../ids.ts'
import { classifyError, constraintOf, isLockTimeout } from '../postgres/errors.ts'
import { findClaimed, type Records, recordAttempts, type StepAnswer, takeStep } from '../queries/sending.ts'
import { withDatabaseTimeout } from './database-timeout.ts'
import type { ClaimRequest } from './endpoint-scheduler.ts'

/**
 * The deliveries that one step has claimed. `open` is how many of them are not recorded yet. `askedAt` is the time of
 * the claim by a monotonic clock.
 */
export type OpenClaim = { readonly id: string; readonly at: Date; readonly askedAt: number; open: number }

/** Returns a function that executes a step, and retries it after database errors until it succeeds or `hasEnded`. */
export const openStepWithRetry = (
  { sql, clock, random }: Dependencies,
  { hasEnded }: { readonly hasEnded: () => boolean },
) => {
  const newId = () => uuidv7(clock.now(), random)
  const worker = newId()

  /** Each attempt uses the current time, so that a lease does not begin while the database is unreachable. */
  const step = async (
    { id, at }: Attempt,
    records: Records,
    requests: readonly ClaimRequest[],
  ): Promise<StepAnswer> => {
    if (requests.length === 0) return { moved: await recordAttempts(sql, records), claimed: [] }
    const endpoints = requests.map(({ endpoint: { id, lowMs }, want }) => ({ endpointId: id, want, lowMs }))
    return takeStep(sql, records, { id, worker, at, endpoints })
  }

  return async (records: Records, requests: readonly ClaimRequest[] = []): Promise<Result> => {
    const id = newId()
    const attempts: Attempt[] = []
    for (let pauseMs = 25, unsure = false; ; pauseMs = Math.min(2 * pauseMs, 1_000)) {
      try {
        // An earlier attempt whose answer was lost may have claimed deliveries.
        const claimed = unsure ? await withDatabaseTimeout(findClaimed(sql, id)) : []
        if (claimed[0]) return resultOf(attemptAt(claimed[0].dueAt, attempts), { moved: idsOf(records), claimed })
        const attempt = { id, at: clock.now(), askedAt: performance.now() }
        attempts.push(attempt)
        return resultOf(attempt, await withDatabaseTimeout(step(attempt, records, requests)))
      } catch (error) {
        // An earlier attempt that timed out was executed in the meantime.
        const isAlreadyClaimed = constraintOf(error) === 'delivery_claims_pkey'
        // A retry would wait for the same lock, and delay all following steps.
        if (isLockTimeout(error) || (!isAlreadyClaimed && classifyError(error) === 'final') || hasEnded()) throw error
        unsure = true
        await sleep(pauseMs)
      }
    }
  }
}

type Attempt = Omit<OpenClaim, 'open'>

const attemptAt = (at: Date, attempts: readonly Attempt[]): Attempt => {
  const attempt = attempts.find(each => each.at.getTime() === at.getTime())
  if (!attempt) throw new Error('deliveries were claimed at a time of no attempt')
  return attempt
}

/**
 * Which deliveries had changed was in the lost answer, so all count as changed: their outcomes are dispatched to the
 * actors, and those that were recorded refuse them.
 */
const idsOf = ({ recorded }: Records): readonly string[] => recorded.map(({ id }) => id)

type Result = StepAnswer & { readonly claim: OpenClaim }

const resultOf = (attempt: Attempt, answer: StepAnswer): Result => ({
  ...answer,
  claim: { ...attempt, open: answer.claimed.length },
})
