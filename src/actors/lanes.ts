import { openReturning, unitsIn } from './returning.ts'

/** From how many waiting commands on a second lane is worth its round trips; measured at 32 callers. */
const SHARED_FROM = 8

/** Fewer are not cut in two, and are waited for when they are on the way: 16 get 13 % more done in one batch than in two. */
const FEW = 32

/**
 * What each further lane must have to carry: a commit costs as much as 30 commands in it, whatever is in it. Two lanes
 * leave a fifth of two cores idle, since they wait for each other; four of half the size cost as much more, and of
 * three that are full each is done later.
 */
const WORTH_A_LANE = 128

/**
 * How much of an even share must wait for a further lane. Callers who come one by one, as over HTTP, would open it for
 * the first few of them and wait for it with the rest: 7 % of what 64 callers get done, and 5 % of what 256 do.
 */
const EVEN_ENOUGH = 0.75

/** A lane that has been away for so long is not counted on: its commit may wait for a lock of somebody else's. */
export const LATE_MS = 50

/** A batch under way: how many units it carries, and since when, by the clock that only goes forward. */
type Lane = { readonly units: number; readonly since: number }

type LanesOptions = {
  readonly most: number
  readonly batchSize: number
  readonly now?: () => number
}

/** How many batches may be under way, and how large the next one is. */
export const openLanes = ({ most, batchSize, now = () => performance.now() }: LanesOptions) => {
  const open = new Set<Lane>()
  const returning = openReturning(now)

  /** How many must wait for a further lane to open. */
  const least = (): number => {
    if (open.size >= most) return Number.POSITIVE_INFINITY
    const late = now() - LATE_MS
    const prompt = [...open].filter(({ since }) => since > late)
    if (prompt.length === 0) return 1
    const floor = prompt.length === 1 ? SHARED_FROM : EVEN_ENOUGH * WORTH_A_LANE
    return Math.max(floor, (EVEN_ENOUGH * unitsIn(prompt)) / prompt.length)
  }

  /**
   * An even share of all that is under way or waiting, but for those `behind` actors under way: no other lane can take
   * them, so nothing is left for one. Callers come back with the batch that answered them, so shares stay as they were
   * cut: who is on the way back is counted, or what little waits while nothing is under way is cut in two for good.
   */
  const share = (waiting: number, behind: number): number => {
    const outstanding = waiting - behind + unitsIn(open) + (behind === 0 ? returning.count() : 0)
    if (outstanding < FEW) return batchSize
    const used = Math.max(2, Math.floor(outstanding / WORTH_A_LANE))
    return Math.min(batchSize, Math.ceil(outstanding / Math.min(most, used)))
  }

  /** For how long what waits is kept for those who are about to share its batch: few, of whom none is under way. */
  const waitMs = (waiting: number): number => {
    if (open.size > 0 || waiting === 0) return 0
    return waiting + returning.count() < FEW ? returning.worthMs() : 0
  }

  return {
    least,
    share,
    waitMs,
    /** Whether nearly an even share of all waits. */
    isEnough: (waiting: number, behind: number): boolean => waiting >= EVEN_ENOUGH * share(waiting, behind),
    enter: (units: number): Lane => {
      const lane = { units, since: now() }
      open.add(lane)
      return lane
    },
    /** False when it was left before. */
    leave: (lane: Lane, told: number): boolean => {
      if (!open.delete(lane)) return false
      returning.told(told, now() - lane.since)
      return true
    },
    cameBack: returning.cameBack,
    areFree: (): boolean => open.size === 0,
    /** Some are under way, and a further one could be. */
    mayShare: (): boolean => open.size > 0 && open.size < most,
  }
}
