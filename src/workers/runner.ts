import { Buffer } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JobHelpers, runMigrations, runTaskList, type TaskList } from 'graphile-worker'
import type { World } from '../actors/world.ts'
import { isAway } from '../postgres/errors.ts'
import { openAttention } from './attention.ts'
import { openJobEvents, runnerLogger } from './job-log.ts'
import { openPool } from './pool.ts'
import type { Task, Tasks } from './task.ts'

export type RunnerOptions = {
  readonly databaseUrl: string
  readonly tasks: Tasks
  /** Jobs at once. */
  readonly concurrency: number
  readonly pollMs: number
}

/** One life of graphile-worker. It is never mended: what goes wrong ends it, and another one begins. */
export type Runner = {
  /** What it writes into `locked_by`. Until a life's end this is also the worker's identity. */
  readonly id: string
  /** Settles with the cause when it has ended by itself, or may hold jobs that it does not know of. */
  readonly ended: Promise<unknown>
  /** Takes no more jobs and waits for those in flight; false when they took longer. */
  close(graceMs: number): Promise<boolean>
}

export const openRunner = async (world: World, options: RunnerOptions): Promise<Runner> => {
  if (Object.keys(options.tasks).length === 0) return idleRunner(world)
  const { promise: ended, resolve: end } = Promise.withResolvers<unknown>()
  const pool = openPool({ databaseUrl: options.databaseUrl, max: options.concurrency + 2 })
  const logger = runnerLogger(world.log)
  // Refuses a schema of a later graphile-worker that this one would break.
  await runMigrations({ pgPool: pool, logger }).catch(async error => {
    await pool.end()
    throw error
  })

  const life = openLife(world, options.tasks, () => pool.query('select 1'))
  void life.stuck.then(end)
  const events = openJobEvents(world.log)
  // It does this to itself, too, when it cannot give its jobs back.
  events.on('pool:forcefulShutdown', life.abandon)
  // The job it asked for may be locked, with the answer lost.
  events.on('worker:getJob:error', ({ error }) => end(error))
  const attention = openAttention(
    () => life.running() < options.concurrency,
    () => end(new Error('graphile-worker has free hands and asks for no jobs')),
  )
  events.on('worker:getJob:start', attention.asked)
  let closing = false
  events.on('pool:gracefulShutdown', () => {
    closing = true
  })

  // Not `run()`, whose cron, used or not, can hold up its end by a minute.
  const jobs = runTaskList(
    {
      logger,
      events,
      concurrency: options.concurrency,
      pollInterval: options.pollMs,
      noHandleSignals: true,
      preset: { worker: batching },
    },
    life.taskList,
    pool,
  )
  const settled = jobs.promise.then(
    () => end(new Error('graphile-worker has ended by itself')),
    error => end(error),
  )

  const close = async (graceMs: number): Promise<boolean> => {
    attention.stop()
    // How it ends is told by `settled`; a failure there is one more reason to begin anew.
    if (!closing) Promise.resolve(jobs.gracefulShutdown()).catch(() => {})
    const hurry = setTimeout(life.hurry, (graceMs * 2) / 3)
    const inTime = await Promise.race([
      settled.then(() => true),
      sleep(graceMs, false, { ref: false }),
      life.stuck.then(() => sleep(500, false, { ref: false })),
    ])
    clearTimeout(hurry)
    life.abandon()
    await Promise.race([pool.end(), sleep(1_000, undefined, { ref: false })])
    return inTime
  }

  return { id: jobs.id, ended, close }
}

/** graphile-worker refuses an empty list of tasks; a process without any is still one of the workers. */
const idleRunner = ({ random }: World): Runner => ({
  id: `idle-${Buffer.from(random(new Uint8Array(9))).toString('hex')}`,
  ended: never,
  close: async () => true,
})

/**
 * Completions go in batches: it is the only mode in which one that fails ends the pool instead of
 * raising an unhandled rejection. Fetching goes without `localQueue`, ten times as fast as it is: when
 * 0.18 stops with jobs in that queue it throws, fails the jobs in flight, and waits for none of them.
 */
const batching = { completeJobBatchDelay: 0, failJobBatchDelay: 0 }

/** The tasks as graphile-worker calls them, for as long as it may be told how they ended. */
const openLife = (world: World, tasks: Tasks, reach: () => Promise<unknown>) => {
  const hurrying = new AbortController()
  const { promise: stuck, resolve: stick } = Promise.withResolvers<unknown>()
  let abandoned = false
  let running = 0

  const callable =
    (task: Task) =>
    async (payload: unknown, { job }: JobHelpers): Promise<void> => {
      running++
      try {
        await task(world, payload, { job, signal: hurrying.signal })
      } catch (error) {
        // A job that fails because the database was or is away is not to blame, and must not wait e^n
        // seconds for its next try: it is stuck until this life is over, and then free for the next.
        const away = isAway(error) ? error : await reach().then(() => undefined, identity)
        // One that meets it again and again, while others do not, brings it about itself.
        if (away === undefined || job.attempts > MOST_BLAMELESS) throw error
        stick(away)
        await never
      } finally {
        running--
        // The pool is gone, and its worker would raise an unhandled rejection on telling it. The job
        // has been freed, and runs again.
        if (abandoned) await never
      }
    }

  const taskList: TaskList = {}
  for (const [name, task] of Object.entries(tasks)) taskList[name] = callable(task)

  return {
    taskList,
    stuck,
    running: () => running,
    hurry: () => hurrying.abort(),
    abandon: () => {
      abandoned = true
      hurrying.abort()
    },
  }
}

/** Lives that a job may end before it is held to account. */
const MOST_BLAMELESS = 5

const identity = (error: unknown): unknown => error

const never = new Promise<never>(() => {})
