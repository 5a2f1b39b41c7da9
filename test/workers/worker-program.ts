import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { task } from '../../src/workers/task.ts'
import { startWorker, type WorkOptions } from '../../src/workers/worker.ts'

/** A worker process whose tasks record that they ran. */
const databaseUrl = process.env.DATABASE_URL ?? ''
const outside = {
  sql: connect(databaseUrl, { max: 4 }),
  clock: databaseClock(),
  random: (bytes: Uint8Array) => crypto.getRandomValues(bytes),
  log: openLog('debug'),
}

const tasks = {
  'note-run': task(type({ n: 'number', ms: 'number' }), async ({ sql }, { n, ms }) => {
    const note = (phase: string) => sql`insert into runs (n, pid, phase) values (${n}, ${process.pid}, ${phase})`
    // Repeated, like a command: the first statement after a restart may use an old connection.
    await note('begun').catch(() => note('begun'))
    await sleep(ms)
    await note('done').catch(() => note('done'))
  }),
  'do-nothing': task(type({}), async () => {}),
  'end-own-backend': task(type({}), async ({ sql }) => {
    await sql`select pg_terminate_backend(pg_backend_pid())`
  }),
  'fail-always': task(type({}), async () => {
    throw new Error('poison')
  }),
}

const options: Partial<WorkOptions> = JSON.parse(process.env.WORK_OPTIONS ?? '{}')
const worker = startWorker(
  { ...outside, actors: await openActors(outside, []) },
  { databaseUrl, tasks, role: 'worker', ...options },
)

process.on('SIGTERM', async () => {
  await worker.stop()
  process.exit(0)
})
