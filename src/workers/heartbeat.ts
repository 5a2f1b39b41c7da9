import { setTimeout as sleep } from 'node:timers/promises'
import type { Dependencies } from '../dependencies.ts'
import { connect } from '../postgres/connect.ts'
import { faultOf } from './job-log.ts'
import { openLiveness } from './liveness.ts'
import {
  deregisterDeadWorkers,
  deregisterWorkers,
  findUnknownLockHolders,
  recordHeartbeat,
  registerWorker,
  releaseUnknownLocks,
  type WorkerRow,
} from './queries.ts'
import type { Watchdog } from './watchdog.ts'

export type HeartbeatOptions = {
  readonly databaseUrl: string
  readonly watchdog: Watchdog
  readonly heartbeatMs: number
  /** A worker without a heartbeat for this long is dead. */
  readonly deadAfterMs: number
}

/**
 * Writes the heartbeat of this process's worker, and deregisters dead workers of other processes. It has its own
 * connection, because a pool that is used up by tasks would make a live worker look dead. All queries run one after the
 * other and are watched by the watchdog.
 */
export const openHeartbeat = (
  { log }: Dependencies,
  { databaseUrl, watchdog, heartbeatMs, deadAfterMs }: HeartbeatOptions,
) => {
  const sql = connect(databaseUrl, { max: 1, name: 'paymachine heartbeat' })
  const stopping = new AbortController()
  const liveness = openLiveness({ deadAfterMs, gapMs: heartbeatMs * 5 })
  const unknownHolders = openUnknownHolders()
  /** Stopped workers whose rows could not be deleted yet. */
  const undeleted = new Set<string>()
  let own: { readonly id: string; readonly lose: (cause: unknown) => void } | undefined
  let ids: readonly string[] = []
  let lastBeatAt = Number.NEGATIVE_INFINITY

  /** Registers the worker. `lost` settles when another process has deregistered it. */
  const register = async (row: WorkerRow) => {
    await deleteStopped()
    await watchdog.watch(registerWorker(sql, row))
    const { promise: lost, resolve: lose } = Promise.withResolvers<unknown>()
    own = { id: row.id, lose }
    lastBeatAt = performance.now()
    return { lost }
  }

  /**
   * Deregisters the worker and releases its jobs. If that fails now, it is done before the next worker is registered.
   */
  const deregister = async (id: string): Promise<void> => {
    own = undefined
    undeleted.add(id)
    await Promise.race([deleteStopped(), sleep(3_000, undefined, { ref: false })]).catch(error =>
      log.warn({ worker: id, fault: faultOf(error) }, 'worker not deregistered, retrying'),
    )
  }

  const deleteStopped = async (): Promise<void> => {
    const stopped = [...undeleted]
    if (stopped.length === 0) return
    await watchdog.watch(deregisterWorkers(sql, stopped))
    for (const id of stopped) undeleted.delete(id)
  }

  const beat = async (): Promise<void> => {
    const current = own
    const sentAt = performance.now()
    const workers = await watchdog.watch(recordHeartbeat(sql, current?.id ?? null))
    lastBeatAt = performance.now()
    ids = workers.map(({ id }) => id).sort()
    if (current && !workers.some(worker => worker.own))
      current.lose(new Error('another process has deregistered this worker as dead'))
    const silent = liveness.findDead(workers, sentAt, lastBeatAt)
    if (silent.length > 0) {
      const dead = await watchdog.watch(deregisterDeadWorkers(sql, silent))
      if (dead.length > 0) log.warn({ workers: dead }, 'dead workers deregistered, their jobs released')
    }
    // Only the first of the registered workers does this. All processes sort them the same way.
    if (current && ids[0] === current.id && unknownHolders.isCheckDue()) await releaseJobsOfUnknown()
  }

  const releaseJobsOfUnknown = async (): Promise<void> => {
    const holders = unknownHolders.seenTwice(await watchdog.watch(findUnknownLockHolders(sql)))
    if (holders.length === 0) return
    await watchdog.watch(releaseUnknownLocks(sql, holders))
    log.warn({ workers: holders }, 'jobs of unknown workers released')
  }

  const beating = (async () => {
    let isFailing = false
    while (!stopping.signal.aborted) {
      try {
        await beat()
        if (isFailing) log.info('worker heartbeat resumed')
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn({ fault: faultOf(error) }, 'worker heartbeat failed, retrying')
        isFailing = true
      }
      await sleep(heartbeatMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()

  return {
    register,
    deregister,
    isBeating: () => own !== undefined && performance.now() - lastBeatAt < deadAfterMs,
    share: () => ({ position: own ? ids.indexOf(own.id) : -1, count: ids.length }),
    stop: async () => {
      stopping.abort()
      await Promise.race([beating, sleep(1_000, undefined, { ref: false })])
      await sql.end({ timeout: 0 })
    },
  }
}

/**
 * Remembers which workers hold jobs without being registered: killed before they were registered, or a job was fetched
 * after they were deregistered.
 */
const openUnknownHolders = () => {
  let suspects: ReadonlySet<string> = new Set()
  let checkedAt = Number.NEGATIVE_INFINITY
  return {
    isCheckDue: () => performance.now() - checkedAt > 5_000,
    /** Those found by two checks in a row: a worker that is starting holds jobs shortly before it is registered. */
    seenTwice: (holders: readonly string[]): string[] => {
      const again = holders.filter(id => suspects.has(id))
      suspects = new Set(holders)
      checkedAt = performance.now()
      return again
    },
  }
}
