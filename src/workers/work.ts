import { hostname } from 'node:os'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import manifest from '../../package.json' with { type: 'json' }
import type { World } from '../actors/world.ts'
import { openHeart } from './heart.ts'
import { faultOf } from './job-log.ts'
import { openRunner, type RunnerOptions } from './runner.ts'
import { openWatchdog } from './watchdog.ts'

export type WorkOptions = Pick<RunnerOptions, 'databaseUrl' | 'tasks'> & {
  readonly role: 'all' | 'worker'
  readonly concurrency?: number
  readonly pollMs?: number
  readonly beatMs?: number
  readonly silentMs?: number
  readonly watchdogMs?: number
  /** How long jobs in flight may take when the process is asked to stop. */
  readonly stopGraceMs?: number
  /** How long they may take when the worker begins anew. */
  readonly renewGraceMs?: number
  /** Ends the process. */
  readonly end?: () => void
}

export type Worker = {
  /** Takes no more jobs, lets those in flight finish, and leaves no lock behind. */
  stop(): Promise<void>
  /** Takes jobs, and the others know. */
  healthy(): boolean
  /** Which of the live workers this is, from 0; -1 while it is none. Known from the last beat. */
  share(): { readonly position: number; readonly count: number }
}

/** Runs tasks, whatever happens to the database, until told to stop. */
export const work = (world: World, options: WorkOptions): Worker => {
  const { databaseUrl, tasks, role, concurrency = 10, pollMs = 500 } = options
  const { stopGraceMs = 13_000, renewGraceMs = 5_000, end = () => process.exit(1) } = options
  const { log } = world
  const stop = Promise.withResolvers<void>()
  let stopping = false

  const watchdog = openWatchdog({
    limitMs: options.watchdogMs ?? 15_000,
    end: silentMs => {
      log.fatal({ silentMs }, 'database not answering, ending the process')
      end()
    },
  })
  const heart = openHeart(world, {
    databaseUrl,
    watchdog,
    beatMs: options.beatMs ?? 1_000,
    silentMs: options.silentMs ?? 10_000,
  })

  /** One life, from its first job to its last. Answers why it ended. */
  const live = async (): Promise<unknown> => {
    const runner = await openRunner(world, { databaseUrl, tasks, concurrency, pollMs })
    const row = { id: runner.id, role, host: hostname(), pid: process.pid, version: manifest.version }
    try {
      const { reaped } = await heart.begin(row)
      log.info({ worker: runner.id }, 'worker started')
      return await Promise.race([runner.ended, reaped, stop.promise])
    } finally {
      const inTime = await runner.close(stopping ? stopGraceMs : renewGraceMs)
      if (!inTime) log.warn({ worker: runner.id }, 'jobs did not finish in time, they run again')
      await heart.end(runner.id)
    }
  }

  const lived = (async () => {
    let failures = 0
    while (!stopping) {
      const startedAt = performance.now()
      const cause = await live().catch((error: unknown) => error)
      if (stopping) break
      failures = performance.now() - startedAt > 5_000 ? 0 : failures + 1
      const pauseMs = Math.min(100 * 2 ** failures, 10_000)
      log.error({ fault: faultOf(cause), pauseMs }, 'worker stopped unexpectedly, restarting')
      await Promise.race([sleep(pauseMs, undefined, { ref: false }), stop.promise])
    }
    await heart.stop()
    watchdog.stop()
  })()

  return {
    stop: () => {
      stopping = true
      stop.resolve()
      return lived
    },
    healthy: heart.beats,
    share: heart.share,
  }
}
