import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Sql } from '../../src/postgres/connect.ts'
import type { WorkOptions } from '../../src/workers/worker.ts'

export type WorkerProcess = AsyncDisposable & {
  readonly pid: number
  signal(name: NodeJS.Signals): void
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  readonly ended: () => boolean
  /** Its log so far. */
  readonly log: () => string
}

type Options = Partial<Omit<WorkOptions, 'tasks' | 'end' | 'databaseUrl'>>

/** A worker in a process of its own, killed when its test disposes of it. */
export const workerProcess = (databaseUrl: string, options: Options = {}): WorkerProcess => {
  const child: ChildProcess = spawn(process.execPath, [program], {
    env: { ...process.env, DATABASE_URL: databaseUrl, WORK_OPTIONS: JSON.stringify(options) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stdout?.on('data', chunk => (log += chunk))
  child.stderr?.on('data', chunk => (log += chunk))
  let over = false
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(resolve =>
    child.on('exit', (code, signal) => {
      over = true
      resolve({ code, signal })
    }),
  )
  return {
    pid: child.pid ?? 0,
    signal: name => void child.kill(name),
    exited,
    ended: () => over,
    log: () => log,
    [Symbol.asyncDispose]: async () => {
      if (!over) child.kill('SIGKILL')
      await exited
    },
  }
}

const program = fileURLToPath(new URL('./worker-program.ts', import.meta.url))

/** The table that the tasks of the worker program write to. */
export const createRuns = (sql: Sql) => sql`
  create table runs (n integer not null, pid integer not null, phase text not null, at timestamptz not null default clock_timestamp())`

/** Jobs 1 … count for `note-run`, each with this duration. */
export const addRuns = (sql: Sql, count: number, ms: number) => sql`
  select graphile_worker.add_jobs(array(
    select ('note-run', json_build_object('n', n, 'ms', ${ms}::integer), null, null, null, null, null, null)::graphile_worker.job_spec
    from generate_series(1, ${count}::integer) n))`

export const countRuns = async (sql: Sql, phase: 'begun' | 'done'): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`select count(distinct n)::integer from runs where phase = ${phase}`
  return row?.count ?? 0
}

export const countJobs = async (sql: Sql): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer from graphile_worker.jobs`
  return row?.count ?? 0
}

export const countLocks = async (sql: Sql): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer from graphile_worker.jobs where locked_by is not null`
  return row?.count ?? 0
}
