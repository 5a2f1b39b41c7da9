import { readFile } from 'node:fs/promises'
import type { Actors } from '../../src/actors/actors.ts'
import type { DispatcherOptions } from '../../src/actors/dispatcher.ts'
import { registered } from '../../src/actors/kind.ts'
import { audit } from '../../src/audit/audit.ts'
import type { Finding } from '../../src/audit/rules/check.ts'
import type { Dependencies } from '../../src/dependencies.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { newId, openInstance } from '../actors/lamps.ts'
import { callTimes } from './callers.ts'
import { meter } from './meter.ts'
import { type BenchDatabase, type BenchServer, createMigrated } from './server.ts'

const kinds = [registered(meter)]

/** A database with meters and an instance on it, which counts the commands reported as done. */
export type Meters = AsyncDisposable & {
  readonly world: Dependencies
  readonly sql: Sql
  readonly actors: Actors
  readonly ids: readonly string[]
  /** Creates this many more. */
  add(count: number, fields?: Record<string, unknown>): Promise<void>
  /** The n-th of a fixed shuffle, so that neighbours are apart in the table and its indexes. */
  tick(n: number): Promise<void>
  /** Ticks every meter this often, this many commands at a time. Returns the milliseconds. */
  tickAll(times: number, callers: number): Promise<number>
  /** Counts timers that fired without `tick` as done. */
  fired(count: number): void
  /** Throws unless the database contains exactly the reported work. */
  check(): Promise<void>
  audit(): Promise<readonly Finding[]>
}

export const createMeters = async (server: BenchServer, options: DispatcherOptions = {}): Promise<Meters> => {
  const db = await createMigrated(server)
  const sql = connect(db.url, { max: 1 })
  await sql.unsafe(await readFile(new URL('./meter.sql', import.meta.url), 'utf8'))
  await sql.end()
  return openMeters(db, options)
}

const openMeters = async (db: BenchDatabase, options: DispatcherOptions): Promise<Meters> => {
  const { world, sql, actors, close } = await openInstance(db.url, { kinds, ...options })
  const ids: string[] = []
  let ticks = 0

  const add = async (count: number, fields: Record<string, unknown> = {}): Promise<void> => {
    await callTimes(2_000, count, async () => {
      const id = newId()
      const outcome = await actors.dispatch({ kind: 'meter', actor: id, create: fields })
      if (!outcome.ok) throw new Error(`a meter was refused: ${outcome.refusal}`)
      ids.push(id)
    })
  }

  const tick = async (n: number): Promise<void> => {
    const actor = ids[(n * STRIDE) % ids.length] ?? ''
    const outcome = await actors.dispatch({ kind: 'meter', actor, event: { type: 'tick' } })
    if (!outcome.ok) throw new Error(`a tick was refused: ${outcome.refusal}`)
    ticks++
  }

  const check = async (): Promise<void> => {
    await actors.idle()
    const [row] = await sql<Record<string, number>[]>`
      select
        (select count(*)::integer from meters) as meters,
        (select sum(ticks)::integer from meters) as ticks,
        (select sum(rev)::integer from meters) as revs,
        (select count(*)::integer from transitions) as history,
        (select count(*)::integer from events) as events,
        (select count(*)::integer from timers) as timers,
        (select count(*)::integer from meters where state = 'high') as high`
    const high = row?.high ?? 0
    const wanted = {
      meters: ids.length,
      ticks,
      revs: ids.length + ticks,
      history: ids.length + ticks,
      events: ticks,
      timers: high,
      high,
    }
    const differ = Object.entries(wanted).filter(([what, count]) => row?.[what] !== count)
    if (differ.length > 0)
      throw new Error(
        `the database differs from the reported work: ${differ.map(([what, n]) => `${what} ${row?.[what]}, not ${n}`).join('; ')}`,
      )
  }

  return {
    world,
    sql,
    actors,
    ids,
    add,
    tick,
    tickAll: (times, callers) => callTimes(callers, ids.length * times, tick),
    fired: count => {
      ticks += count
    },
    check,
    audit: () => audit(sql, kinds),
    [Symbol.asyncDispose]: async () => {
      await close()
      await db[Symbol.asyncDispose]()
    },
  }
}

/** A prime that divides no number of meters used here, so that its multiples visit all of them. */
const STRIDE = 7_919
