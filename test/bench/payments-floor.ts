import { connect, type Sql } from '../../src/postgres/connect.ts'
import { writeBatch } from './payments-floor-batch.ts'
import type { PaidHistory } from './payments-rows.ts'
import { insertLinks, insertMerchants } from './payments-setup.ts'
import { type BenchServer, createMigrated } from './server.ts'

/** The rows of payments written by batched statements only: into the same tables, without their triggers. */
export type Floor = AsyncDisposable & {
  readonly sql: Sql
  /** With this many payments in flight, in batches that go through all commits of a payment. */
  run(inFlight: number, forMs: number): Promise<{ readonly done: number; readonly perSecond: number }>
  /** Writes one batch of this many payments. */
  write(count: number): Promise<void>
}

export type FloorOptions = { readonly merchants: number; readonly links: number; readonly history: PaidHistory }

/** As large as the largest batch of the dispatcher. */
const BATCH = 512
/** As many as the actors use. */
const CONNECTIONS = 8

export const openFloor = async (
  server: BenchServer,
  { merchants, links: count, history }: FloorOptions,
): Promise<Floor> => {
  const db = await createMigrated(server)
  const sql = connect(db.url, { max: CONNECTIONS, byKey: true })
  await sql`select check_era()`
  const links = await insertLinks(sql, await insertMerchants(sql, merchants, 'https://localhost/hooks'), count)
  await sql`insert into recovery_secrets (id, sealed_secret) select id, repeat('x', 150) from merchants`
  for (const table of ['events', 'transfers']) await sql`alter table ${sql(table)} disable trigger user`
  await sql`vacuum analyze`
  const commits = commitsOf(history)
  let batches = 0
  let written = 0

  const write = async (from: number, size: number): Promise<void> => {
    await writeBatch(sql, { commits, links: links.slice(from, from + size), number: ++batches })
    written += size
  }

  return {
    sql,
    write: size => write(0, size),
    run: async (inFlight, forMs) => {
      const lanes = Math.max(1, Math.round(inFlight / BATCH))
      const size = Math.floor(inFlight / lanes)
      const before = written
      const began = performance.now()
      const one = async (lane: number): Promise<void> => {
        while (performance.now() < began + forMs) await write(lane * size, size)
      }
      await Promise.all(Array.from({ length: lanes }, (_, lane) => one(lane)))
      const tookMs = performance.now() - began
      const [row] = await sql<{ payments: number; delivered: number }[]>`
        select (select count(*)::integer from payments where state = 'success') as payments,
          (select count(*)::integer from deliveries where state = 'delivered') as delivered`
      if (row?.payments !== written || row.delivered !== written)
        throw new Error(`${written} payments of the floor have left ${JSON.stringify(row)}`)
      const done = written - before
      return { done, perSecond: (done / tookMs) * 1_000 }
    },
    [Symbol.asyncDispose]: async () => {
      await sql.end({ timeout: 1 })
      await db[Symbol.asyncDispose]()
    },
  }
}

/** What one payment adds to history and events in one commit. */
export type Commit = PaidHistory

export type Commits = {
  readonly opened: Commit
  readonly seen: Commit
  readonly final: Commit
  readonly delivered: Commit
}

/** By the transactions that wrote one payment. */
const commitsOf = ({ transitions, events }: PaidHistory): Commits => {
  const xids = [...new Set(transitions.map(({ xid }) => xid))]
  const [opened, seen, final, delivered, ...more] = xids.map(xid => ({
    transitions: transitions.filter(each => each.xid === xid),
    events: events.filter(each => each.xid === xid),
  }))
  if (!opened || !seen || !final || !delivered || more.length > 0)
    throw new Error(`history of a payment was written in ${xids.length} commits, and the floor has 4`)
  return { opened, seen, final, delivered }
}
