import { hostname } from 'node:os'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import manifest from '../../package.json' with { type: 'json' }
import type { Services } from '../actors/services.ts'
import { openHeartbeat } from './heartbeat.ts'
import { faultOf } from './job-log.ts'
import { openRunner, type RunnerOptions } from './runner.ts'
import { openWatchdog } from './watchdog.ts'

export type WorkOptions = Pick<RunnerOptions, 'databaseUrl' | 'tasks'> & {
  readonly role: 'all' | 'worker'
  readonly concurrency?: number
  readonly pollMs?: number
  readonly heartbeatMs?: number
  readonly deadAfterMs?: number
  readonly watchdogMs?: number
  /** How long jobs under way may take when the process stops. */
  readonly stopGraceMs?: number
  /** How long they may take when the worker restarts. */
  readonly restartGraceMs?: number
  /** Ends the process. */
  readonly end?: () => void
}

export type Worker = {
  /** Takes no more jobs, lets those under way finish, and releases all locks. */
  stop(): Promise<void>
  /** Whether it is registered and its heartbeat is recent. */
  healthy(): boolean
  /**
   * The position of this worker among the live workers, from 0; -1 while it is not registered. As of the last
   * heartbeat.
   */
  share(): { readonly position: number; readonly count: number }
}

/** Runs tasks until it is stopped. Restarts after any error of the database. */
export const startWorker = (services: Services, options: WorkOptions): Worker => {
  const { databaseUrl, tasks, role, concurrency = 10, pollMs = 500 } = options
  const { stopGraceMs = 13_000, restartGraceMs = 5_000, end = () => process.exit(1) } = options
  const { log } = services
  const stop = Promise.withResolvers<void>()
  let stopping = false

  const watchdog = openWatchdog({
    limitMs: options.watchdogMs ?? 15_000,
    end: silentMs => {
      log.fatal({ silentMs }, 'database not answering, ending the process')
      end()
    },
  })
  const heartbeat = openHeartbeat(services, {
    databaseUrl,
    watchdog,
    heartbeatMs: options.heartbeatMs ?? 1_000,
    deadAfterMs: options.deadAfterMs ?? 10_000,
  })

  /** One run of graphile-worker, from its first job to its last. Returns why it ended. */
  const runOnce = async (): Promise<unknown> => {
    const runner = await openRunner(services, { databaseUrl, tasks, concurrency, pollMs })
    const row = { id: runner.id, role, host: hostname(), pid: process.pid, version: manifest.version }
    try {
      const { lost } = await heartbeat.register(row)
      log.info({ worker: runner.id }, 'worker started')
      return await Promise.race([runner.ended, lost, stop.promise])
    } finally {
      const inTime = await runner.close(stopping ? stopGraceMs : restartGraceMs)
      if (!inTime) log.warn({ worker: runner.id }, 'jobs did not finish in time, they run again')
      await heartbeat.deregister(runner.id)
    }
  }

  const stopped = (async () => {
    let failures = 0
    while (!stopping) {
      const startedAt = performance.now()
      const cause = await runOnce().catch((error: unknown) => error)
      if (stopping) break
      failures = performance.now() - startedAt > 5_000 ? 0 : failures + 1
      const pauseMs = Math.min(100 * 2 ** failures, 10_000)
      log.error({ fault: faultOf(cause), pauseMs }, 'worker stopped unexpectedly, restarting')
      await Promise.race([sleep(pauseMs, undefined, { ref: false }), stop.promise])
    }
    await heartbeat.stop()
    watchdog.stop()
  })()

  return {
    stop: () => {
      stopping = true
      stop.resolve()
      return stopped
    },
    healthy: heartbeat.isBeating,
    share: heartbeat.share,
  }
}
