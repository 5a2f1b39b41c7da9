import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from '../ids.ts'
import type { Outside } from '../outside.ts'
import { constraintOf, isLockedOut, judgeError } from '../postgres/errors.ts'
import { findClaimed, type Records, recordAttempts, type StepAnswer, takeStep } from '../queries/sending.ts'
import { withDatabaseTimeout } from './database-timeout.ts'
import type { ClaimRequest } from './roster.ts'

/** What one step has taken up; it ends with the last of it. `askedAt` is when, on a clock that nobody sets. */
export type OpenClaim = { readonly id: string; readonly at: Date; readonly askedAt: number; open: number }

/** Takes a step, also while the database is in trouble: until it has answered, or nobody wants to know any more. */
export const openInsistence = ({ sql, clock, random }: Outside, { hasEnded }: { readonly hasEnded: () => boolean }) => {
  const newId = () => uuidv7(clock.now(), random)
  const worker = newId()

  /** By the time there is now: no lease must begin before a database in trouble came back. */
  const step = async ({ id, at }: Try, records: Records, asking: readonly ClaimRequest[]): Promise<StepAnswer> => {
    if (asking.length === 0) return { moved: await recordAttempts(sql, records), claimed: [] }
    const asked = asking.map(({ lane, want }) => ({ endpointId: lane.id, want, lowMs: lane.lowMs }))
    return takeStep(sql, records, { id, worker, at, asked })
  }

  return async (records: Records, asking: readonly ClaimRequest[] = []): Promise<Answer> => {
    const id = newId()
    const tries: Try[] = []
    for (let pauseMs = 25, unsure = false; ; pauseMs = Math.min(2 * pauseMs, 1_000)) {
      try {
        // What was claimed by a try whose answer was lost is ours all the same.
        const claimed = unsure ? await withDatabaseTimeout(findClaimed(sql, id)) : []
        if (claimed[0]) return answerOf(tryAt(claimed[0].dueAt, tries), { moved: idsOf(records), claimed })
        const tried = { id, at: clock.now(), askedAt: performance.now() }
        tries.push(tried)
        return answerOf(tried, await withDatabaseTimeout(step(tried, records, asking)))
      } catch (error) {
        // Of a try that was given up, and was carried out after all.
        const isTwin = constraintOf(error) === 'delivery_claims_pkey'
        // Another try would wait for the same lock, and everything behind this step with it.
        if (isLockedOut(error) || (!isTwin && judgeError(error) === 'final') || hasEnded()) throw error
        unsure = true
        await sleep(pauseMs)
      }
    }
  }
}

type Try = Omit<OpenClaim, 'open'>

const tryAt = (at: Date, tries: readonly Try[]): Try => {
  const tried = tries.find(each => each.at.getTime() === at.getTime())
  if (!tried) throw new Error('something was claimed by nobody')
  return tried
}

/** Which of them had moved on was in the answer that was lost. Those that had not refuse to be told twice. */
const idsOf = ({ recorded }: Records): readonly string[] => recorded.map(({ id }) => id)

type Answer = StepAnswer & { readonly claim: OpenClaim }

const answerOf = (tried: Try, answer: StepAnswer): Answer => ({
  ...answer,
  claim: { ...tried, open: answer.claimed.length },
})
