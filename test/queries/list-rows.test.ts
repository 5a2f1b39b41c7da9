import { afterAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect } from '../../src/postgres/connect.ts'
import { findCursorSeq, type ListOwner, listRows } from '../../src/queries/list-rows.ts'
import type { Page } from '../../src/queries/page.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'

const opened = database()
afterAll(async () => (await opened)[Symbol.asyncDispose]())

type Row = { readonly id: string; readonly title: string }

const merchant = (livemode = false): ListOwner => ({ merchantId: randomUUID(), livemode })

/** The first page, newest first, by default. */
const list = async (owner: ListOwner, { after, limit = 20, order = 'desc' }: Partial<Page> = {}) => {
  const { sql } = await opened
  const page = { after, limit, order }
  return listRows<Row>(sql, { table: 'payment_links', owner, page, columns: sql`id, title` })
}

const placeOf = async (owner: ListOwner, id: string) => {
  const place = await findCursorSeq((await opened).sql, 'payment_links', owner, id)
  if (!place) throw new Error('the cursor names nothing')
  return place
}

/** A transaction that gets its id before it writes a link, like commits. */
const begin = async ({ merchantId, livemode }: ListOwner, title: string) => {
  // A connection of its own, so that the test decides when it begins.
  const connection = connect((await opened).url, { max: 1 })
  await connection`begin`
  await connection`select pg_current_xact_id()`
  const id = randomUUID()
  const link = {
    ...{ g: 1, was: 0, id, state: 'active', rev: 1, version: 1, merchant_id: merchantId, livemode, title },
    ...{ amount_minor: 1, currency: 'USD', metadata: {}, window_minutes: 30, hidden: false },
    ...{ payments_opened: 0, payments_processing: 0, payments_count: 0 },
  }
  return {
    id,
    write: async () => {
      await connection`
        select insert_payment_links_v1(
          array[json_populate_record(null::payment_links_v1_entry, ${JSON.stringify(link)}::text::json)], null, now())`
    },
    commit: async () => {
      await connection`commit`
      await connection.end()
    },
  }
}

const committed = async (owner: ListOwner, title: string) => {
  const { id, write, commit } = await begin(owner, title)
  await write()
  await commit()
  return id
}

const titles = (rows: readonly Row[]) => rows.map(({ title }) => title)

/** Reads on from the last row it has read, to the end. */
const readAll = async (owner: ListOwner, seen: Row[]) => {
  for (;;) {
    const last = seen.at(-1)
    const page = await list(owner, { order: 'asc', limit: 2, after: last && (await placeOf(owner, last.id)) })
    if (page.length === 0) return
    seen.push(...page.slice(0, 2))
  }
}

test.each([
  ['in the order in which they began', (n: number) => n],
  ['in reverse order', (n: number) => 7 - n],
  ['the odd ones first', (n: number) => (n < 4 ? 2 * n + 1 : 2 * n - 8)],
])('eight transactions that write and commit %s are listed in the order of their commits', async (_, order) => {
  const owner = merchant()
  const writers = []
  for (let n = 0; n < 8; n++) writers.push(await begin(owner, `${n}`))
  const seen: Row[] = []
  for (let n = 0; n < 8; n++) {
    await readAll(owner, seen)
    await writers[order(n)]?.write()
    await readAll(owner, seen)
    await writers[order(n)]?.commit()
  }
  await readAll(owner, seen)
  expect(titles(seen)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map(n => `${order(n)}`))
  expect(titles(await list(owner))).toEqual(titles(seen).toReversed())
})

test("a transaction that writes to a list waits until the previous writer's transaction is visible", async () => {
  const owner = merchant()
  const [first, second] = [await begin(owner, 'first'), await begin(owner, 'second')]
  await first.write()
  const written = second.write().then(second.commit)
  const { sql } = await opened
  await until(async () => (await sql`select from pg_locks where locktype = 'advisory' and not granted`).length > 0)
  expect(await list(owner)).toEqual([])
  await first.commit()
  await written
  expect(titles(await list(owner))).toEqual(['second', 'first'])
})

test('a row is listed once it is committed, even if an older transaction is open', async () => {
  const owner = merchant()
  await committed(owner, 'first')
  const older = await begin(merchant(), 'of another')
  await committed(owner, 'second')
  expect(titles(await list(owner))).toEqual(['second', 'first'])
  expect(titles(await list(owner, { order: 'asc' }))).toEqual(['first', 'second'])
  await older.commit()
})

test("a cursor is a position of a merchant's own object in its mode", async () => {
  const { sql } = await opened
  const owner = merchant()
  const id = await committed(owner, 'mine')
  for (const other of [merchant(), { ...owner, livemode: true }])
    expect(await findCursorSeq(sql, 'payment_links', other, id)).toBeUndefined()
  expect(await placeOf(owner, id)).toMatch(/^\d+$/)
})
