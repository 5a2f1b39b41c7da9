/** How many statements run in parallel, and how many keys one statement reads. */
const MAX_PARALLEL = 2
const MAX_BATCH = 100

/**
 * A late statement no longer counts, so that others can start. The limit keeps a locked table from using all
 * connections.
 */
const LATE_AFTER_MS = 1_000
const MAX_LATE = 4

/**
 * Batches reads of one kind: keys that are requested while statements are running share the next statement. A single
 * read does not wait. Under load one statement, one round trip and one plan serve many reads. Late statements do not
 * block the others, for example on connections whose packets are dropped.
 */
export const batchReads = <Key, Value>(
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
  lateAfterMs = LATE_AFTER_MS,
): ((key: Key) => Promise<Value>) => {
  let running = 0
  let late = 0
  let waiting: Waiting<Key, Value>[] = []

  const run = async (batch: readonly Waiting<Key, Value>[]): Promise<void> => {
    try {
      const values = await read(batch.map(({ key }) => key))
      for (const [n, { resolve }] of batch.entries()) resolve(values[n] as Value)
    } catch (error) {
      // One key must not fail because of another.
      if (batch.length > 1) await Promise.all(batch.map(single => run([single])))
      else for (const { reject } of batch) reject(error)
    }
  }

  const startBatches = (): void => {
    while (running < MAX_PARALLEL + Math.min(late, MAX_LATE) && waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      track(run(batch))
    }
  }

  const track = (pending: Promise<void>): void => {
    let isLate = false
    running++
    const timer = setTimeout(() => {
      isLate = true
      late++
      startBatches()
    }, lateAfterMs)
    void pending.then(() => {
      clearTimeout(timer)
      running--
      if (isLate) late--
      startBatches()
    })
  }

  return key =>
    new Promise((resolve, reject) => {
      // Starts at the end of this turn of the event loop, with all keys that were requested in it.
      if (waiting.push({ key, resolve, reject }) === 1) setImmediate(startBatches)
    })
}

type Waiting<Key, Value> = {
  readonly key: Key
  resolve(value: Value): void
  reject(error: unknown): void
}
