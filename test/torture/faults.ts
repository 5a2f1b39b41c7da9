import { setTimeout as sleep } from 'node:timers/promises'
import type { Path } from '../harness/faulty-path.ts'
import { oneOf } from '../harness/random.ts'
import { inForeignSession, type Stage } from './stage.ts'

/** What goes wrong, and is over when the promise is settled. Of one group, one thing goes wrong at a time. */
export type Fault = {
  readonly name: string
  readonly group: 'process' | 'database' | 'path' | 'session' | 'lock'
  readonly happen: (stage: Stage) => Promise<void>
}

/** Small faults come in series: one alone seldom meets a commit. */
const series = async ({ random }: Stage, times: number, everyMs: number, act: () => void): Promise<void> => {
  for (let n = 0; n < times; n++) {
    act()
    await sleep(random() * everyMs)
  }
}

const onPath =
  (act: (path: Path, random: () => number) => void, { tls = false, everyMs = 150 } = {}): Fault['happen'] =>
  async stage => {
    const paths = stage.system.members.map(({ path }) => path).filter(path => path.tls || !tls)
    const path = oneOf(paths, stage.random)
    await series(stage, 12, everyMs, () => act(path, stage.random))
  }

const upTo = (most: number, random: () => number): number => 1 + Math.floor(random() * most)

/** Sessions of the processes under test, and of nothing else. */
const signalSessions = async ({ system }: Stage, signal: 'terminate' | 'cancel', share: number): Promise<void> => {
  await system.sql`
    select ${system.sql.unsafe(`pg_${signal}_backend`)}(pid) from pg_stat_activity
    where application_name like 'paymachine%' and pid <> pg_backend_pid() and random() < ${share}
      and (state = 'active' or ${signal === 'terminate'})`
}

export const faults: readonly Fault[] = [
  { name: 'answers are lost', group: 'path', happen: onPath((path, random) => path.loseAnswer(upTo(6, random))) },
  {
    name: 'records of answers are damaged',
    group: 'path',
    happen: onPath((path, random) => path.damageAnswer(upTo(6, random)), { tls: true }),
  },
  {
    name: 'records of statements are damaged',
    group: 'path',
    happen: onPath((path, random) => path.damageRequest(upTo(3, random)), { tls: true }),
  },
  {
    name: 'statements arrive late, and their senders are reset',
    group: 'path',
    happen: onPath((path, random) => path.deliverLate(upTo(3, random), 50 + random() * 1_200), { everyMs: 250 }),
  },
  { name: 'connections are reset', group: 'path', happen: onPath(path => path.reset(), { everyMs: 400 }) },
  {
    name: 'packets are delayed',
    group: 'path',
    happen: async stage => {
      const { path } = oneOf(stage.system.members, stage.random)
      await series(stage, 5, 500, () => path.delay(stage.random() * 150))
      path.heal()
    },
  },
  {
    name: 'a path is silent for a while',
    group: 'path',
    happen: async ({ system, random }) => {
      const { path } = oneOf(system.members, random)
      path.silence(true)
      await sleep(random() * 4_000)
      path.silence(false)
    },
  },
  { name: 'open connections are half-open', group: 'path', happen: onPath(path => path.stall(), { everyMs: 300 }) },
  {
    name: 'a process is killed',
    group: 'process',
    happen: async ({ system, random }) => {
      const { process } = oneOf(system.members, random)
      await process.kill()
      await sleep(random() * 500)
      await process.start()
    },
  },
  {
    name: 'a process stands still',
    group: 'process',
    happen: async ({ system, random }) => {
      const { process } = oneOf(system.members, random)
      process.freeze()
      await sleep(random() * 4_000)
      process.thaw()
    },
  },
  {
    name: 'a process is stopped',
    group: 'process',
    happen: async ({ system, random }) => {
      const { process } = oneOf(system.members, random)
      await process.stop()
      await process.start()
    },
  },
  { name: 'Postgres is restarted', group: 'database', happen: ({ system }) => system.server.restart() },
  {
    name: 'Postgres is killed',
    group: 'database',
    happen: async ({ system, random }) => {
      await system.server.kill()
      await sleep(random() * 500)
      await system.server.start()
    },
  },
  {
    name: 'sessions are terminated',
    group: 'session',
    happen: async stage => {
      for (let n = 0; n < 20; n++) {
        await retried(() => signalSessions(stage, 'terminate', 0.3))
        await sleep(stage.random() * 80)
      }
    },
  },
  {
    name: 'statements are canceled',
    group: 'session',
    happen: async stage => {
      for (let n = 0; n < 40; n++) {
        await retried(() => signalSessions(stage, 'cancel', 0.5))
        await sleep(stage.random() * 20)
      }
    },
  },
  {
    name: 'a session holds a row',
    group: 'session',
    happen: async stage => {
      const actor = stage.actors.draw(stage.random)
      await inForeignSession(stage, `select from lamps where id = '${actor}' for update`, 200 + stage.random() * 2_500)
    },
  },
  {
    name: 'a session holds a table',
    group: 'session',
    happen: async stage => {
      const table = oneOf(['lamps', 'transitions', 'timers', 'events'], stage.random)
      await inForeignSession(stage, `lock table ${table} in access exclusive mode`, stage.random() * 1_000)
    },
  },
  {
    name: 'a session holds the horizon',
    group: 'session',
    happen: stage => inForeignSession(stage, 'select pg_current_xact_id()', stage.random() * 3_000),
  },
]

/** The server may be restarted at the same time. */
const retried = (act: () => Promise<void>): Promise<void> => act().catch(() => {})
