import { Buffer } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JobHelpers, runMigrations, runTaskList, type TaskList } from 'graphile-worker'
import type { Services } from '../actors/services.ts'
import { isDatabaseUnreachable } from '../postgres/errors.ts'
import { openJobEvents, runnerLogger } from './job-log.ts'
import { openPool } from './pool.ts'
import { openStallDetector } from './stall-detector.ts'
import type { Task, Tasks } from './task.ts'

export type RunnerOptions = {
  readonly databaseUrl: string
  readonly tasks: Tasks
  /** How many jobs run in parallel. */
  readonly concurrency: number
  readonly pollMs: number
}

/** One run of graphile-worker. After any error it is ended and replaced by a new one. */
export type Runner = {
  /** What it writes into `locked_by`. It is also the worker's id. */
  readonly id: string
  /** Settles with the cause when it has ended by itself, or may hold locks of jobs that it does not run. */
  readonly ended: Promise<unknown>
  /** Takes no more jobs and waits for those under way. Resolves to false if they took longer than `graceMs`. */
  close(graceMs: number): Promise<boolean>
}

export const openRunner = async (services: Services, options: RunnerOptions): Promise<Runner> => {
  if (Object.keys(options.tasks).length === 0) return idleRunner(services)
  const { promise: ended, resolve: end } = Promise.withResolvers<unknown>()
  const pool = openPool({ databaseUrl: options.databaseUrl, max: options.concurrency + 2 })
  const logger = runnerLogger(services.log)
  // Throws if the schema belongs to a newer version of graphile-worker, which this one would damage.
  await runMigrations({ pgPool: pool, logger }).catch(async error => {
    await pool.end()
    throw error
  })

  const run = openRun(services, options.tasks, () => pool.query('select 1'))
  void run.stuck.then(end)
  const events = openJobEvents(services.log)
  // graphile-worker also does this by itself when it cannot release its jobs.
  events.on('pool:forcefulShutdown', run.abandon)
  // The requested job may be locked although the answer was lost.
  events.on('worker:getJob:error', ({ error }) => end(error))
  const stallDetector = openStallDetector(
    () => run.running() < options.concurrency,
    () => end(new Error('graphile-worker has free slots but requests no jobs')),
  )
  events.on('worker:getJob:start', stallDetector.jobsRequested)
  let closing = false
  events.on('pool:gracefulShutdown', () => {
    closing = true
  })

  // Not `run()`: its cron can delay the shutdown by a minute, even if it is not used.
  const jobs = runTaskList(
    {
      logger,
      events,
      concurrency: options.concurrency,
      pollInterval: options.pollMs,
      noHandleSignals: true,
      preset: { worker: batching },
    },
    run.taskList,
    pool,
  )
  const settled = jobs.promise.then(
    () => end(new Error('graphile-worker ended unexpectedly')),
    error => end(error),
  )

  const close = async (graceMs: number): Promise<boolean> => {
    stallDetector.stop()
    // `settled` reports how it ends. After a failure a new run begins anyway.
    if (!closing) Promise.resolve(jobs.gracefulShutdown()).catch(() => {})
    const abortTimer = setTimeout(run.abortTasks, (graceMs * 2) / 3)
    const inTime = await Promise.race([
      settled.then(() => true),
      sleep(graceMs, false, { ref: false }),
      run.stuck.then(() => sleep(500, false, { ref: false })),
    ])
    clearTimeout(abortTimer)
    run.abandon()
    await Promise.race([pool.end(), sleep(1_000, undefined, { ref: false })])
    return inTime
  }

  return { id: jobs.id, ended, close }
}

/**
 * graphile-worker refuses an empty list of tasks. A process without tasks is still a worker: it fires timers, for
 * example.
 */
const idleRunner = ({ random }: Services): Runner => ({
  id: `idle-${Buffer.from(random(new Uint8Array(9))).toString('hex')}`,
  ended: never,
  close: async () => true,
})

/**
 * Completions are batched, because only in this mode a failed completion ends the pool instead of causing an unhandled
 * rejection. `localQueue` would fetch jobs ten times as fast, but it is not used: if version 0.18 stops with jobs in
 * that queue, it throws, fails the jobs under way, and does not wait for them.
 */
const batching = { completeJobBatchDelay: 0, failJobBatchDelay: 0 }

/**
 * The tasks as graphile-worker calls them during one run. After the run has ended, their outcome is not reported to it.
 */
const openRun = (services: Services, tasks: Tasks, ping: () => Promise<unknown>) => {
  const aborting = new AbortController()
  const { promise: stuck, resolve: reportStuck } = Promise.withResolvers<unknown>()
  let abandoned = false
  let running = 0

  const callable =
    (task: Task) =>
    async (payload: unknown, { job }: JobHelpers): Promise<void> => {
      running++
      try {
        await task(services, payload, { job, signal: aborting.signal })
      } catch (error) {
        // A job that failed because the database was unreachable is not counted as failed: otherwise its next attempt
        // would come after e^n seconds. Instead this run is ended, and the next one runs the job again.
        const databaseError = isDatabaseUnreachable(error) ? error : await ping().then(() => undefined, identity)
        // A job that repeatedly fails like this causes the error itself.
        if (databaseError === undefined || job.attempts > MAX_EXCUSED_ATTEMPTS) throw error
        reportStuck(databaseError)
        await never
      } finally {
        running--
        // The pool has ended, and reporting the outcome would cause an unhandled rejection. The job has been released
        // and runs again.
        if (abandoned) await never
      }
    }

  const taskList: TaskList = {}
  for (const [name, task] of Object.entries(tasks)) taskList[name] = callable(task)

  return {
    taskList,
    stuck,
    running: () => running,
    abortTasks: () => aborting.abort(),
    abandon: () => {
      abandoned = true
      aborting.abort()
    },
  }
}

/** So many attempts of a job may end a run with a database error. Further ones count as failures of the job. */
const MAX_EXCUSED_ATTEMPTS = 5

const identity = (error: unknown): unknown => error

const never = new Promise<never>(() => {})
