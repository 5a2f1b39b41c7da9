/** One batch is decided while the other is committed. More of them, each smaller, get less done. */
const LANES = 2

/** A second batch must have so many units: a commit costs as much as about 30 commands in it. */
const WORTH_A_BATCH = 16

/**
 * How much of the other batch's size must wait for a second one. Clients over HTTP come one by one and would open it
 * for the first few of them, and wait for it with the rest.
 */
const EVEN_ENOUGH = 0.75

/** A batch that takes longer than this may wait for a lock, and does not hold up the next ones. */
export const LATE_MS = 50

/** A batch under way: how many units it carries, and when it began, by a clock that only goes forward. */
type Lane = { readonly units: number; readonly since: number }

type LanesOptions = {
  /** Batches under way, at most, the late ones included. */
  readonly most: number
  readonly batchSize: number
  readonly now?: () => number
}

/** How many batches may be under way, and how large the next one is. */
export const openLanes = ({ most, batchSize, now = () => performance.now() }: LanesOptions) => {
  const open = new Set<Lane>()

  const mayOpen = (waiting: number): boolean => {
    const late = now() - LATE_MS
    const prompt = [...open].filter(({ since }) => since > late)
    if (waiting === 0 || open.size >= most || prompt.length >= LANES) return false
    return prompt.length === 0 || waiting >= Math.max(WORTH_A_BATCH, EVEN_ENOUGH * unitsIn(prompt))
  }

  /** Half of all that is under way or waiting, without those that wait for actors under way. */
  const share = (waiting: number, blocked: number): number => {
    const outstanding = waiting - blocked + unitsIn(open)
    return outstanding < LANES * WORTH_A_BATCH ? batchSize : Math.min(batchSize, Math.ceil(outstanding / LANES))
  }

  return {
    mayOpen,
    share,
    enter: (units: number): Lane => {
      const lane = { units, since: now() }
      open.add(lane)
      return lane
    },
    leave: (lane: Lane): void => void open.delete(lane),
    areFree: (): boolean => open.size === 0,
  }
}

const unitsIn = (lanes: Iterable<Lane>): number => {
  let sum = 0
  for (const { units } of lanes) sum += units
  return sum
}
