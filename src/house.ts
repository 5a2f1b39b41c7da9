import { Elysia } from 'elysia'
import { databaseClock } from './clock.ts'
import type { Env } from './env.ts'
import { health } from './http/health.ts'
import { serve } from './http/serve.ts'
import { openLog } from './log.ts'
import { startMachinery } from './machinery.ts'
import { connect, type Sql } from './postgres/connect.ts'
import { startEmbedded } from './postgres/embedded.ts'
import { migrate, readMigrations } from './postgres/migrate.ts'
import { awaitDatabase } from './postgres/reach.ts'
import { getSecretKey } from './secret-key.ts'
import type { Outside } from './world.ts'

export type HouseOptions = {
  /** Told what an operator should read, in one line each. */
  readonly say: (line: string) => void
  /** Ends a start that is under way. */
  readonly stop: AbortSignal
}

/** Everything that one process runs. Disposing undoes what starting did, in the opposite order. */
export const startHouse = async (env: Env, { say, stop }: HouseOptions): Promise<AsyncDisposable> => {
  await using starting = new AsyncDisposableStack()

  const databaseUrl =
    env.databaseUrl ?? starting.adopt(await startEmbedded({ dataDir: env.dataDir, say }), e => e.stop()).url
  await awaitDatabase(databaseUrl, { say, stop })
  const migrations = await readMigrations()
  await migrate(databaseUrl, migrations)
  stop.throwIfAborted()
  getSecretKey(env)

  const sql = starting.adopt(connect(databaseUrl), pool => pool.end({ timeout: 5 }))
  // A dump restored into another cluster starts its transaction ids anew; the feeds must know before anything is written.
  await sql`select check_era()`
  const outside: Outside = {
    sql,
    clock: databaseClock(),
    random: crypto.getRandomValues.bind(crypto),
    log: openLog(env.logLevel),
  }

  const machinery = starting.adopt(await startMachinery(outside, env, databaseUrl), m => m.stop())

  const app = new Elysia().use(
    health({
      database: async () => void (await sql`select 1`),
      migrations: async () => ((await areApplied(sql, migrations)) ? undefined : 'missing'),
      worker: async () => machinery.trouble(),
    }),
  )
  starting.adopt(await serve(app, env), server => server.stop())
  say(`Ready at ${env.publicUrl}`)
  return starting.move()
}

const areApplied = async (sql: Sql, migrations: readonly { name: string }[]): Promise<boolean> => {
  const names = migrations.map(({ name }) => name)
  return (await sql`select from migrations where name = any(${names})`).length === names.length
}
