import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/postgres/connect.ts'
import { oneOf } from '../harness/random.ts'
import { holdRow } from './row-lock.ts'
import type { Scene } from './scene.ts'

/** One fault. When the promise is settled, it is over and repaired. */
export type Fault = { readonly name: string; readonly inject: (scene: Scene, random: () => number) => Promise<void> }

export const faults: readonly Fault[] = [
  {
    name: 'a process is killed',
    inject: async (scene, random) => {
      const instance = oneOf(scene.instances, random)
      await instance.kill()
      await sleep(random() * 1_000)
      await instance.start()
    },
  },
  {
    name: 'a process is killed while it starts',
    inject: async (scene, random) => {
      const instance = oneOf(scene.instances, random)
      await instance.kill()
      const starting = instance.start()
      await sleep(50 + random() * 800)
      await instance.kill()
      await starting
      await instance.start()
    },
  },
  {
    name: 'a process is stopped',
    inject: async (scene, random) => {
      const instance = oneOf(scene.instances, random)
      await instance.stop()
      await instance.start()
    },
  },
  {
    name: 'a process is frozen',
    inject: async (scene, random) => {
      const instance = oneOf(scene.instances, random)
      instance.freeze()
      // Sometimes longer than the timeout of clients.
      await sleep(random() * 8_000)
      instance.thaw()
    },
  },
  {
    name: 'all processes are killed at the same time',
    inject: async scene => {
      await Promise.all(scene.instances.map(instance => instance.kill()))
      await Promise.all(scene.instances.map(instance => instance.start()))
    },
  },
  {
    name: 'Postgres is killed',
    inject: async (scene, random) => {
      await scene.server.kill()
      await sleep(random() * 1_000)
      await scene.server.start()
    },
  },
  { name: 'Postgres is restarted', inject: scene => scene.server.restart() },
  {
    name: 'connections are terminated by the database',
    inject: async (scene, random) => {
      for (let n = 0; n < 20; n++) {
        await scene.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and application_name <> 'chaos' and random() < 0.3`
        await sleep(random() * 100)
      }
    },
  },
  {
    name: 'a path to the database is cut repeatedly',
    inject: async (scene, random) => {
      const { path } = oneOf(scene.instances, random)
      for (let n = 0; n < 5; n++) {
        path.reset()
        await sleep(random() * 300)
      }
    },
  },
  {
    name: 'database responses are lost',
    inject: async (scene, random) => {
      const { path } = oneOf(scene.instances, random)
      for (let n = 0; n < 10; n++) {
        path.loseAnswer(1 + Math.floor(random() * 20))
        await sleep(random() * 200)
      }
    },
  },
  {
    name: 'statements arrive late, and their clients are reset',
    inject: async (scene, random) => {
      const { path } = oneOf(scene.instances, random)
      for (let n = 0; n < 10; n++) {
        path.deliverLate(1 + Math.floor(random() * 3), random() * 1_500)
        await sleep(random() * 300)
      }
      path.heal()
    },
  },
  {
    name: 'records of an encrypted database connection are damaged',
    inject: async (scene, random) => {
      const { path } = oneOf(
        scene.instances.filter(({ path }) => path.tls),
        random,
      )
      for (let n = 0; n < 10; n++) {
        if (random() < 0.7) path.damageAnswer(1 + Math.floor(random() * 10))
        else path.damageRequest(1 + Math.floor(random() * 3))
        await sleep(random() * 300)
      }
      path.heal()
    },
  },
  {
    name: 'a row is locked by a foreign session',
    inject: (scene, random) => holdRow(scene, oneOf(['payments', 'refunds', 'deliveries'], random)),
  },
  {
    name: 'a path to the database blocks',
    inject: async (scene, random) => {
      const { path } = oneOf(scene.instances, random)
      path.silence(true)
      await sleep(random() * 8_000)
      path.silence(false)
    },
  },
  {
    name: 'statements are canceled',
    inject: async (scene, random) => {
      for (let n = 0; n < 20; n++) {
        await scene.sql`
          select pg_cancel_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and application_name <> 'chaos' and state = 'active'`
        await sleep(random() * 50)
      }
    },
  },
  {
    name: 'a table is locked by another session',
    inject: async (scene, random) => {
      const table = oneOf(['payments', 'events', 'deliveries', 'idempotency_keys', 'refunds'], random)
      await inOtherTransaction(scene, `lock table ${table} in access exclusive mode`, random() * 2_000)
    },
  },
  {
    name: 'an open transaction holds the horizon',
    inject: (scene, random) => inOtherTransaction(scene, 'select pg_current_xact_id()', random() * 3_000),
  },
  {
    name: 'the chain is frozen',
    inject: async (scene, random) => {
      process.kill(scene.chain.pid, 'SIGSTOP')
      await sleep(random() * 3_000)
      process.kill(scene.chain.pid, 'SIGCONT')
    },
  },
  {
    name: "the merchant's server is down",
    inject: async (scene, random) => {
      scene.merchant.setDown(true)
      await sleep(random() * 1_000)
      scene.merchant.setDown(false)
    },
  },
]

/** In a transaction of another session. */
const inOtherTransaction = async (scene: Scene, statement: string, ms: number): Promise<void> => {
  const sql = connect(scene.server.url, { max: 1, name: 'chaos' })
  await sql`begin`
  await sql.unsafe(statement)
  await sleep(ms)
  await sql`rollback`
  await sql.end({ timeout: 1 })
}
