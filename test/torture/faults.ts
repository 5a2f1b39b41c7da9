import { setTimeout as sleep } from 'node:timers/promises'
import type { Path } from '../harness/faulty-path.ts'
import { oneOf } from '../harness/random.ts'
import { inForeignSession, type Stage } from './stage.ts'

/** One fault, over when the promise is settled. Of each group only one fault is active at a time. */
export type Fault = {
  readonly name: string
  readonly group: 'process' | 'database' | 'path' | 'session' | 'lock'
  readonly inject: (stage: Stage) => Promise<void>
}

/** Small faults come in series: a single one seldom hits a commit. */
const series = async ({ random }: Stage, times: number, everyMs: number, act: () => void): Promise<void> => {
  for (let n = 0; n < times; n++) {
    act()
    await sleep(random() * everyMs)
  }
}

const onPath =
  (act: (path: Path, random: () => number) => void, { tls = false, everyMs = 150 } = {}): Fault['inject'] =>
  async stage => {
    const paths = stage.system.members.map(({ path }) => path).filter(path => path.tls || !tls)
    const path = oneOf(paths, stage.random)
    await series(stage, 12, everyMs, () => act(path, stage.random))
  }

const upTo = (most: number, random: () => number): number => 1 + Math.floor(random() * most)

/** Database sessions of the processes under test only. */
const signalSessions = async ({ system }: Stage, signal: 'terminate' | 'cancel', share: number): Promise<void> => {
  await system.sql`
    select ${system.sql.unsafe(`pg_${signal}_backend`)}(pid) from pg_stat_activity
    where application_name like 'paymachine%' and pid <> pg_backend_pid() and random() < ${share}
      and (state = 'active' or ${signal === 'terminate'})`
}

export const faults: readonly Fault[] = [
  {
    name: 'database responses are lost',
    group: 'path',
    inject: onPath((path, random) => path.loseAnswer(upTo(6, random))),
  },
  {
    name: 'records of database responses are damaged',
    group: 'path',
    inject: onPath((path, random) => path.damageAnswer(upTo(6, random)), { tls: true }),
  },
  {
    name: 'records of statements are damaged',
    group: 'path',
    inject: onPath((path, random) => path.damageRequest(upTo(3, random)), { tls: true }),
  },
  {
    name: 'statements arrive late, and their clients are reset',
    group: 'path',
    inject: onPath((path, random) => path.deliverLate(upTo(3, random), 50 + random() * 1_200), { everyMs: 250 }),
  },
  { name: 'connections are reset', group: 'path', inject: onPath(path => path.reset(), { everyMs: 400 }) },
  {
    name: 'packets are delayed',
    group: 'path',
    inject: async stage => {
      const { path } = oneOf(stage.system.members, stage.random)
      await series(stage, 5, 500, () => path.delay(stage.random() * 150))
      path.heal()
    },
  },
  {
    name: 'a path is blocked for a while',
    group: 'path',
    inject: async ({ system, random }) => {
      const { path } = oneOf(system.members, random)
      path.silence(true)
      await sleep(random() * 4_000)
      path.silence(false)
    },
  },
  { name: 'existing connections are half-open', group: 'path', inject: onPath(path => path.stall(), { everyMs: 300 }) },
  {
    name: 'a process is killed',
    group: 'process',
    inject: async ({ system, random }) => {
      const { process } = oneOf(system.members, random)
      await process.kill()
      await sleep(random() * 500)
      await process.start()
    },
  },
  {
    name: 'a process is frozen',
    group: 'process',
    inject: async ({ system, random }) => {
      const { process } = oneOf(system.members, random)
      process.freeze()
      await sleep(random() * 4_000)
      process.thaw()
    },
  },
  {
    name: 'a process is stopped',
    group: 'process',
    inject: async ({ system, random }) => {
      const { process } = oneOf(system.members, random)
      await process.stop()
      await process.start()
    },
  },
  { name: 'Postgres is restarted', group: 'database', inject: ({ system }) => system.server.restart() },
  {
    name: 'Postgres is killed',
    group: 'database',
    inject: async ({ system, random }) => {
      await system.server.kill()
      await sleep(random() * 500)
      await system.server.start()
    },
  },
  {
    name: 'sessions are terminated',
    group: 'session',
    inject: async stage => {
      for (let n = 0; n < 20; n++) {
        await retried(() => signalSessions(stage, 'terminate', 0.3))
        await sleep(stage.random() * 80)
      }
    },
  },
  {
    name: 'statements are canceled',
    group: 'session',
    inject: async stage => {
      for (let n = 0; n < 40; n++) {
        await retried(() => signalSessions(stage, 'cancel', 0.5))
        await sleep(stage.random() * 20)
      }
    },
  },
  {
    name: 'a session locks a row',
    group: 'session',
    inject: async stage => {
      const actor = stage.actors.draw(stage.random)
      await inForeignSession(stage, `select from lamps where id = '${actor}' for update`, 200 + stage.random() * 2_500)
    },
  },
  {
    name: 'a session locks a table',
    group: 'session',
    inject: async stage => {
      const table = oneOf(['lamps', 'transitions', 'timers', 'events'], stage.random)
      await inForeignSession(stage, `lock table ${table} in access exclusive mode`, stage.random() * 1_000)
    },
  },
  {
    name: 'an open transaction holds the horizon',
    group: 'session',
    inject: stage => inForeignSession(stage, 'select pg_current_xact_id()', stage.random() * 3_000),
  },
]

/** The server may be restarted at the same time. */
const retried = (act: () => Promise<void>): Promise<void> => act().catch(() => {})
