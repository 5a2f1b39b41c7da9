import { uuidv7 } from '../ids.ts'
import type { Outside } from '../world.ts'
import { carryOut } from './carry-out.ts'
import { type BundleOutcome, type Carried, type Command, keyOf, Unavailable } from './command.ts'
import { openMemory } from './memory.ts'
import type { Registry } from './registry.ts'
import { type Again, nobody } from './trouble.ts'

/** Commands that stand or fall together, on their way through the dispatcher. */
export type Pending = {
  readonly commands: readonly Carried[]
  /** The caller chose the commands' ids. */
  readonly keyed: boolean
  readonly settle: (outcome: BundleOutcome) => void
  readonly fail: (error: unknown) => void
  /** Until when a database in trouble is asked again. */
  readonly deadline: number
  /** How often its rows had moved on when it came to the commit. */
  conflicts: number
  /** An answer was lost: the command may have been carried out already. */
  unsure: boolean
  /** A statement with nothing but it failed for good; the error may have been that of another statement. */
  failed: boolean
  /** It was refused by a row that is there, and looked for as carried out already. */
  sought: boolean
  /** What was remembered of its actors was no help: they are read. */
  doubted: boolean
  /** It is refused by nothing but what is read under a lease. */
  mustLease: boolean
}

export type DispatcherOptions = {
  /** Batches under way at once, at most. One decides while the others commit. */
  readonly lanes?: number
  readonly batchSize?: number
  /** How long a command waits for a database in trouble before it fails as Unavailable. */
  readonly patienceMs?: number
  /** Beyond so many a command fails as Unavailable at once: who waits longer than its caller is of no use. */
  readonly mostWaiting?: number
  /** How many actors are remembered as they were left; see memory.ts. With 0 each is read for each command. */
  readonly mostRemembered?: number
  /** Told of each commit that tells the outside something. */
  readonly published?: () => void
}

/** From how many waiting commands on a second lane is worth its round trips; measured at 32 callers. */
const SHARED_FROM = 8

/**
 * What each further lane must have to carry: a commit costs as much as 30 commands in it, whatever is in it. Two lanes
 * leave a fifth of two cores idle, since they wait for each other; four of half the size cost as much more.
 */
const WORTH_A_LANE = 128

/**
 * How much of an even share must wait for a further lane. Callers who come one by one, as over HTTP, would open it for
 * the first few of them and wait for it with the rest: 7 % of what 64 callers get done, and 5 % of what 256 do.
 */
const EVEN_ENOUGH = 0.75

/** A lane that has been away for so long is not counted on: its commit may wait for a lock of somebody else's. */
const LATE_MS = 50

/** A batch under way: how many units it carries, and since when, by the clock that only goes forward. */
type Lane = { readonly units: number; readonly since: number }

/**
 * Batches form by themselves: a command goes at once when a lane is free, and while the lanes are
 * busy the next ones queue and share the next commit. An actor is never in two batches at once,
 * and commands for it keep their order.
 */
export const openDispatcher = (
  outside: Outside,
  registry: Registry,
  {
    lanes = 4,
    batchSize = 512,
    patienceMs = 10_000,
    mostWaiting = 50_000,
    mostRemembered = 20_000,
    published,
  }: DispatcherOptions = {},
) => {
  const means = { outside, registry, memory: openMemory({ most: mostRemembered }), published }
  let queue: Pending[] = []
  const busy = new Set<string>()
  const open = new Set<Lane>()
  /** How many were seen to wait for actors that are under way: no other lane can take those, so nothing is left for one. */
  let behind = 0
  let parked = 0
  let scheduled = false
  let looking = false
  let drained: (() => void)[] = []

  const enqueue = (commands: readonly Command[], settle: Pending['settle'], fail: Pending['fail']): void => {
    const keyed = commands[0]?.id !== undefined
    if (commands.some(({ id }) => (id !== undefined) !== keyed)) {
      fail(
        new TypeError('cannot dispatch a bundle of which only some have ids: sent again, the rest would be done twice'),
      )
      return
    }
    if (queue.length >= mostWaiting) {
      fail(new Unavailable(new Error(`${queue.length} commands are waiting`)))
      return
    }
    queue.push({
      commands: commands.map(identify),
      keyed,
      settle,
      fail,
      deadline: performance.now() + patienceMs,
      conflicts: 0,
      unsure: false,
      failed: false,
      sought: false,
      doubted: false,
      mustLease: false,
    })
    schedule()
  }

  // In the spelling that the database answers with.
  const identify = (command: Command): Carried => {
    const actor = command.actor.toLowerCase()
    const id = command.id?.toLowerCase() ?? uuidv7(outside.clock.now(), outside.random)
    return { ...command, actor, id, key: keyOf(command.kind, actor) }
  }

  // Whoever was answered by the last commit dispatches its next command in this turn of the event
  // loop: wait for its end, so that they all share one batch.
  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      pump()
    })
  }

  /** How many must wait for a further lane to open. */
  const waitingFor = (): number => {
    if (open.size >= lanes) return Number.POSITIVE_INFINITY
    const late = performance.now() - LATE_MS
    const prompt = [...open].filter(({ since }) => since > late)
    if (prompt.length === 0) return 1
    const least = prompt.length === 1 ? SHARED_FROM : EVEN_ENOUGH * WORTH_A_LANE
    return Math.max(least, (EVEN_ENOUGH * unitsIn(prompt)) / prompt.length)
  }

  /** Whoever is left to wait for lanes need not wait for late ones. */
  const lookAgain = (): void => {
    if (looking || queue.length === 0 || open.size === 0 || open.size >= lanes) return
    looking = true
    setTimeout(() => {
      looking = false
      pump()
    }, LATE_MS)
  }

  /** An even share of all that is under way or waiting. Callers come back with the batch that answered them, so shares stay as they were cut. */
  const shareOf = (outstanding: number): number => {
    if (outstanding < 2 * SHARED_FROM) return batchSize
    const used = Math.max(2, Math.floor(outstanding / WORTH_A_LANE))
    return Math.min(batchSize, Math.ceil(outstanding / Math.min(lanes, used)))
  }

  const pump = (): void => {
    while (queue.length >= waitingFor()) {
      const units = takeBatch(shareOf(queue.length + unitsIn(open) - behind))
      if (units.length === 0) break
      const lane = { units: units.length, since: performance.now() }
      open.add(lane)
      void carryOut(means, units)
        .catch((error): Again => {
          for (const unit of units) unit.fail(error)
          return nobody
        })
        .then(again => {
          open.delete(lane)
          if (again.units.length > 0) park(units, again)
          else leave(units)
        })
    }
    lookAgain()
  }

  /** Those that go round again keep their actors meanwhile, so that later commands do not overtake them; the lane is free. */
  const park = (units: readonly Pending[], again: Again): void => {
    const staying = new Set(again.units)
    parked++
    setTimeout(() => {
      parked--
      queue = again.units.concat(queue)
      leave(again.units)
    }, again.pauseMs)
    leave(units.filter(unit => !staying.has(unit)))
    for (const { commands } of again.units) for (const { actor } of commands) busy.add(actor)
  }

  const leave = (units: readonly Pending[]): void => {
    for (const { commands } of units) for (const { actor } of commands) busy.delete(actor)
    if (open.size === 0 && parked === 0 && queue.length === 0) {
      for (const wake of drained) wake()
      drained = []
    }
    schedule()
  }

  /** The next units in order, leaving those whose actors are under way and those behind them. */
  const takeBatch = (most: number): Pending[] => {
    const units: Pending[] = []
    const blocked = new Set<string>()
    const left: Pending[] = []
    let at = 0
    for (; at < queue.length && units.length < most; at++) {
      const unit = queue[at]
      if (!unit) break
      if (unit.commands.some(({ actor }) => busy.has(actor) || blocked.has(actor))) {
        for (const { actor } of unit.commands) blocked.add(actor)
        left.push(unit)
      } else units.push(unit)
    }
    behind = left.length
    queue = left.concat(queue.slice(at))
    for (const unit of units) for (const { actor } of unit.commands) busy.add(actor)
    return units
  }

  /** Resolves when nothing is queued or under way. */
  const idle = (): Promise<void> =>
    open.size === 0 && parked === 0 && queue.length === 0 ? Promise.resolve() : new Promise(wake => drained.push(wake))

  return { enqueue, idle }
}

const unitsIn = (lanes: Iterable<Lane>): number => {
  let sum = 0
  for (const { units } of lanes) sum += units
  return sum
}
