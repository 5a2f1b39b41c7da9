import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import { isLockTimeout } from '../postgres/errors.ts'
import { type Claimed, findLockedDeliveries, type Records } from '../queries/sending.ts'
import { withDatabaseTimeout } from './database-timeout.ts'
import type { ClaimRequest } from './endpoint-scheduler.ts'
import { type AttemptEnd, decideEnd } from './outcome.ts'
import { type OpenClaim, openStepWithRetry } from './step-retry.ts'

/** A delivery that this process has claimed. */
export type ClaimedDelivery = { readonly actor: Actor; readonly claim: OpenClaim }

export type StepsOptions = {
  /** Returns what may be claimed now. */
  readonly nextClaims: () => readonly ClaimRequest[]
  /** Called with the claimed deliveries. */
  readonly onClaimed: (claimed: readonly Claimed[], claim: OpenClaim, claimRequests: readonly ClaimRequest[]) => void
}

/** Maximum per step: writing the outcomes of a thousand endpoints that time out together must not delay the others. */
const MAX_RECORDED = 512

/** `last_success_at` of an endpoint is written at most once a minute. */
const ANSWERED_MS = 60_000

/**
 * Executes steps one after the other, as long as there are outcomes to record or deliveries to claim. Attempts that end
 * during a step share the next one. Parallel steps would only be smaller.
 */
export const openSteps = (services: Services, { nextClaims, onClaimed }: StepsOptions) => {
  const { clock, random, log } = services
  const runStep = openStepWithRetry(services, { hasEnded: () => closing })
  const newId = () => uuidv7(clock.now(), random)
  /** When the success of an endpoint was last written, oldest first. */
  const answeredAt = new Map<string, number>()
  let ended: Ended[] = []
  let scheduled = false
  let running = false
  let wakeAgain = false
  let closing = false
  let idle = Promise.withResolvers<void>()

  /** Starts a step at the end of this turn of the event loop, so that attempts that end in the same turn share it. */
  const wake = (): void => {
    if (running) wakeAgain = true
    if (scheduled || running) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      running = true
      void run()
    })
  }

  const run = async (): Promise<void> => {
    try {
      while (await step()) {}
    } catch (err) {
      log.error({ err }, 'webhook sending loop failed')
    } finally {
      running = false
      idle.resolve()
      idle = Promise.withResolvers()
      // `wake` may have been called after the last check for work.
      if (wakeAgain) wake()
      wakeAgain = false
    }
  }

  const step = async (): Promise<boolean> => {
    const claimRequests = nextClaims()
    const batch = ended.slice(0, MAX_RECORDED)
    ended = ended.slice(MAX_RECORDED)
    if (claimRequests.length === 0 && batch.length === 0) return false
    try {
      await take(batch, claimRequests)
    } catch (err) {
      for (const { held } of batch) keepClaimOpen(held)
      if (!isLockTimeout(err)) log.error({ err }, 'webhook sending step failed')
      await recordRest(batch, isLockTimeout(err) ? await findLocked(batch) : [])
    }
    return true
  }

  const take = async (
    batch: readonly Ended[],
    claimRequests: readonly ClaimRequest[],
    skipped: readonly string[] = [],
  ) => {
    const { moved, claimed, claim } = await runStep(recordsOf(batch, finishedBy(batch), skipped), claimRequests)
    dispatchMoved(batch, moved)
    onClaimed(claimed, claim, claimRequests)
  }

  /** Returns none if the database does not answer. Then the attempts are recorded one by one. */
  const findLocked = async (batch: readonly Ended[]): Promise<readonly string[]> => {
    const ids = batch.map(({ held }) => held.actor.id)
    return [...(await withDatabaseTimeout(findLockedDeliveries(services.sql, ids)).catch(() => []))]
  }

  /** Records without the locked deliveries. If none is locked, records one by one. */
  const recordRest = async (batch: readonly Ended[], locked: readonly string[]): Promise<void> => {
    if (locked.length === 0) return recordEach(batch)
    try {
      await take(batch, [], locked)
    } catch {
      for (const { held } of batch) keepClaimOpen(held)
      await recordEach(batch)
    }
  }

  const recordsOf = (
    batch: readonly Ended[],
    finished: readonly string[],
    skipped: readonly string[] = [],
  ): Records => {
    const decided = batch.map(({ held, end }) => decideEnd(held.actor, end))
    const jobs = new Map(decided.flatMap(({ jobs }) => jobs.map(job => [job.key ?? newId(), job])))
    return {
      command: newId(),
      recorded: decided.map(({ recorded }) => recorded),
      jobs: [...jobs.values()],
      answered: answeredIn(batch),
      finished,
      skipped,
    }
  }

  /** The claims whose last delivery is in this batch. */
  const finishedBy = (batch: readonly Ended[]): string[] =>
    batch.flatMap(({ held: { claim } }) => (--claim.open === 0 ? [claim.id] : []))

  /** The outcome may not be recorded here. The claim stays open, so that the reaper finds the attempt as lost. */
  const keepClaimOpen = ({ claim }: ClaimedDelivery): void => {
    claim.open++
  }

  const answeredIn = (batch: readonly Ended[]): string[] => {
    const now = performance.now()
    for (const [id, at] of answeredAt) {
      if (now - at < ANSWERED_MS) break
      answeredAt.delete(id)
    }
    const answered = new Set<string>()
    for (const { held, end } of batch) {
      const id = String(held.actor.context.endpointId)
      if (end.event.type !== 'attempt_succeeded' || answeredAt.has(id)) continue
      answeredAt.set(id, now)
      answered.add(id)
    }
    return [...answered].sort()
  }

  /**
   * These deliveries were changed in the meantime, for example canceled. Their outcomes are dispatched to the actors.
   */
  const dispatchMoved = (batch: readonly Ended[], moved: readonly string[]): void => {
    const movedIds = new Set(moved)
    for (const { held, end } of batch) {
      if (!movedIds.has(held.actor.id)) continue
      keepClaimOpen(held)
      services.actors
        .dispatch({ kind: 'delivery', actor: held.actor.id, event: end.event, cause: 'sender' })
        .catch(err => log.warn({ err }, 'webhook attempt outcome not applied to its delivery'))
    }
  }

  /** If one cannot be recorded, the others still are. The reaper finds it as lost. */
  const recordEach = async (batch: readonly Ended[]): Promise<void> => {
    for (const one of closing ? [] : batch) {
      try {
        const { moved } = await runStep(recordsOf([one], []))
        dispatchMoved([one], moved)
      } catch (err) {
        log.error({ err, delivery: encodeId('whd', one.held.actor.id) }, 'webhook attempt outcome not recorded')
      }
    }
  }

  return {
    wake,
    isRunning: () => running || scheduled,
    end: (held: ClaimedDelivery, end: AttemptEnd): void => {
      ended.push({ held, end })
      wake()
    },
    /** Records the remaining outcomes. Must be called last. */
    close: async (): Promise<void> => {
      closing = true
      while (running || scheduled) await idle.promise
      while (ended.length > 0) await step()
    },
  }
}

type Ended = { readonly held: ClaimedDelivery; readonly end: AttemptEnd }
