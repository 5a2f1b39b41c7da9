import { connect } from '../../src/postgres/connect.ts'
import { newId } from '../actors/lamps.ts'
import { callFor, type Load } from './callers.ts'
import type { BenchServer } from './server.ts'

/** The least that a durable command could cost here: round trips of the same driver to the same server. */
export type Floor = AsyncDisposable & {
  /** Selects a row of a hundred thousand by its key. */
  select(callers: number, forMs: number): Promise<Load>
  /** Inserts one row as wide as a meter's, in its own commit. */
  insert(callers: number, forMs: number): Promise<Load>
}

const ROWS = 100_000

/** More connections only cost time on a small machine; the callers share these. */
const CONNECTIONS = 32

export const openFloor = async (server: BenchServer): Promise<Floor> => {
  const db = await server.create()
  const pool = connect(db.url, { max: CONNECTIONS })
  const single = connect(db.url, { max: 1 })
  await pool.unsafe(tables)
  // The first measurement must not include connecting and the driver's lookup of types.
  await Promise.all(Array.from({ length: 4 * CONNECTIONS }, () => pool`select pg_sleep(0.01)`))
  const sqlFor = (callers: number) => (callers === 1 ? single : pool)
  let inserted = 0
  return {
    select: (callers, forMs) => {
      const sql = sqlFor(callers)
      return callFor(callers, forMs, async () => {
        const [row] = await sql`select * from floor_rows where id = ${1 + Math.floor(Math.random() * ROWS)}`
        if (!row) throw new Error('a bare select found nothing')
      })
    },
    insert: async (callers, forMs) => {
      const sql = sqlFor(callers)
      const at = new Date()
      const load = await callFor(
        callers,
        forMs,
        () => sql`
          insert into floor_inserts (id, state, rev, version, created_at, updated_at, ticks, amount_minor, currency, owner, due_ms)
          values (${newId()}, 'high', 2, 1, ${at}, ${at}, 1, 12345, 'EUR', 'somebody@example.com', 3600000)`,
      )
      inserted += load.done
      const [row] = await sql<{ rows: number }[]>`select count(*)::integer as rows from floor_inserts`
      if (row?.rows !== inserted) throw new Error(`${inserted} bare inserts left ${row?.rows} rows`)
      return load
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([pool.end({ timeout: 1 }), single.end({ timeout: 1 })])
      await db[Symbol.asyncDispose]()
    },
  }
}

const columns = `
  state text not null, rev integer not null, version integer not null, lease uuid, leased_until timestamptz,
  created_at timestamptz not null, updated_at timestamptz not null, ticks integer not null,
  amount_minor bigint not null, currency text not null, owner text not null, due_ms integer not null`

const tables = `
  create table floor_rows (id integer primary key, ${columns});
  create table floor_inserts (id uuid primary key, ${columns});
  insert into floor_rows
  select n, 'high', 2, 1, null, null, now(), now(), 1, 12345, 'EUR', 'somebody@example.com', 3600000
  from generate_series(1, ${ROWS}) n;
  analyze floor_rows;`
