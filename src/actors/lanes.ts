/** One batch is decided while the other is committed. More and smaller batches have a lower throughput. */
const LANES = 2

/** A second batch needs at least this many units: a commit costs as much as about 30 commands in it. */
const MIN_BATCH = 16

/**
 * A second batch starts when the queue has reached this fraction of the first one's size. Requests over HTTP arrive one
 * by one: otherwise the first few would start a batch, and all others would have to wait for it.
 */
const MIN_FRACTION = 0.75

/** A batch that takes longer may be waiting for a lock, so it does not hold up the next ones. */
export const LATE_MS = 50

/** A batch under way: how many units it has, and when it began by a monotonic clock. */
type Lane = { readonly units: number; readonly since: number }

type LanesOptions = {
  /** Maximum number of batches under way, including late ones. */
  readonly max: number
  readonly batchSize: number
  readonly now?: () => number
}

/** Decides how many batches may be under way, and how large the next one is. */
export const openLanes = ({ max, batchSize, now = () => performance.now() }: LanesOptions) => {
  const open = new Set<Lane>()

  const mayOpen = (waiting: number): boolean => {
    const late = now() - LATE_MS
    const prompt = [...open].filter(({ since }) => since > late)
    if (waiting === 0 || open.size >= max || prompt.length >= LANES) return false
    return prompt.length === 0 || waiting >= Math.max(MIN_BATCH, MIN_FRACTION * unitsIn(prompt))
  }

  /** The size of the next batch: half of all units under way or queued, without those that wait for busy actors. */
  const share = (waiting: number, blocked: number): number => {
    const outstanding = waiting - blocked + unitsIn(open)
    return outstanding < LANES * MIN_BATCH ? batchSize : Math.min(batchSize, Math.ceil(outstanding / LANES))
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
