import type { Actor } from '../actors/kind.ts'
import type { World } from '../actors/world.ts'
import { uuidv7 } from '../ids.ts'
import { isLockedOut } from '../postgres/errors.ts'
import { type Claimed, findLockedDeliveries, type Records } from '../queries/sending.ts'
import { withDatabaseTimeout } from './database-timeout.ts'
import { type OpenClaim, openInsistence } from './insist.ts'
import { type AttemptEnd, decideEnd } from './outcome.ts'
import type { ClaimRequest } from './roster.ts'

/** A delivery whose attempt is in our hands. */
export type HeldDelivery = { readonly actor: Actor; readonly claim: OpenClaim }

export type StepsOptions = {
  /** What may be taken up now. */
  readonly next: () => readonly ClaimRequest[]
  /** What was. */
  readonly taken: (claimed: readonly Claimed[], claim: OpenClaim, asked: readonly ClaimRequest[]) => void
}

/** A thousand endpoints that time out together must not hold up the others for as long as that takes to write. */
const MOST_RECORDED = 512

/** That an endpoint has answered is written down once a minute. */
const ANSWERED_MS = 60_000

/**
 * Takes one step after the other, for as long as there is something to record or to take up: what ends while a step
 * is under way shares the next one. Two at a time would only make them smaller.
 */
export const openSteps = (world: World, { next, taken }: StepsOptions) => {
  const { clock, random, log } = world
  const insist = openInsistence(world, { hasEnded: () => closing })
  const newId = () => uuidv7(clock.now(), random)
  /** In the order in which they did. */
  const answeredAt = new Map<string, number>()
  let ended: Ended[] = []
  let scheduled = false
  let running = false
  let again = false
  let closing = false
  let idle = Promise.withResolvers<void>()

  /** Whatever else ends in this turn of the event loop shares the step. */
  const wake = (): void => {
    if (running) again = true
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
      // It may have come behind the last look at what there is.
      if (again) wake()
      again = false
    }
  }

  const step = async (): Promise<boolean> => {
    const asked = next()
    const batch = ended.slice(0, MOST_RECORDED)
    ended = ended.slice(MOST_RECORDED)
    if (asked.length === 0 && batch.length === 0) return false
    try {
      await take(batch, asked)
    } catch (err) {
      for (const { held } of batch) keep(held)
      if (!isLockedOut(err)) log.error({ err }, 'webhook sending step failed')
      await recordRest(batch, isLockedOut(err) ? await findLocked(batch) : [])
    }
    return true
  }

  const take = async (batch: readonly Ended[], asked: readonly ClaimRequest[], around: readonly string[] = []) => {
    const { moved, claimed, claim } = await insist(recordsOf(batch, finishedBy(batch), around), asked)
    tellMoved(batch, moved)
    taken(claimed, claim, asked)
  }

  /** None when the database does not answer: the attempts are recorded one by one then. */
  const findLocked = async (batch: readonly Ended[]): Promise<readonly string[]> => {
    const ids = batch.map(({ held }) => held.actor.id)
    return [...(await withDatabaseTimeout(findLockedDeliveries(world.sql, ids)).catch(() => []))]
  }

  /** Around those that are locked; without any, one by one. */
  const recordRest = async (batch: readonly Ended[], locked: readonly string[]): Promise<void> => {
    if (locked.length === 0) return recordEach(batch)
    try {
      await take(batch, [], locked)
    } catch {
      for (const { held } of batch) keep(held)
      await recordEach(batch)
    }
  }

  const recordsOf = (batch: readonly Ended[], finished: readonly string[], around: readonly string[] = []): Records => {
    const decided = batch.map(({ held, end }) => decideEnd(held.actor, end))
    const jobs = new Map(decided.flatMap(({ jobs }) => jobs.map(job => [job.key ?? newId(), job])))
    return {
      command: newId(),
      recorded: decided.map(({ recorded }) => recorded),
      jobs: [...jobs.values()],
      answered: answeredIn(batch),
      finished,
      around,
    }
  }

  /** The claims of which this is the last. */
  const finishedBy = (batch: readonly Ended[]): string[] =>
    batch.flatMap(({ held: { claim } }) => (--claim.open === 0 ? [claim.id] : []))

  /** It may never be decided here: its claim stays, by which it will be found to be lost. */
  const keep = ({ claim }: HeldDelivery): void => {
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

  /** Somebody has changed them meanwhile, to cancel them after this attempt: their machines are asked once more. */
  const tellMoved = (batch: readonly Ended[], moved: readonly string[]): void => {
    const told = new Set(moved)
    for (const { held, end } of batch) {
      if (!told.has(held.actor.id)) continue
      keep(held)
      world.actors
        .dispatch({ kind: 'delivery', actor: held.actor.id, event: end.event, cause: 'sender' })
        .catch(err => log.warn({ err }, 'webhook attempt outcome not applied to its delivery'))
    }
  }

  /** One of them cannot be written down, and must not keep the others from it. It will be found to be lost. */
  const recordEach = async (batch: readonly Ended[]): Promise<void> => {
    for (const one of closing ? [] : batch) {
      try {
        const { moved } = await insist(recordsOf([one], []))
        tellMoved([one], moved)
      } catch (err) {
        log.error({ err, delivery: one.held.actor.id }, 'webhook attempt outcome not recorded')
      }
    }
  }

  return {
    wake,
    isRunning: () => running || scheduled,
    end: (held: HeldDelivery, end: AttemptEnd): void => {
      ended.push({ held, end })
      wake()
    },
    /** Records what has ended, once; there will be nothing more. */
    close: async (): Promise<void> => {
      closing = true
      while (running || scheduled) await idle.promise
      while (ended.length > 0) await step()
    },
  }
}

type Ended = { readonly held: HeldDelivery; readonly end: AttemptEnd }
