import { afterAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect } from '../../src/postgres/connect.ts'
import { findPlace, listPlaced, type PlacedPage, type Whose } from '../../src/queries/places.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'

const open = async () => {
  const db = await database()
  // As a house does when it starts: the first to write would keep the others waiting for the era it opens.
  await db.sql`select check_era()`
  return db
}
const opened = open()
afterAll(async () => (await opened)[Symbol.asyncDispose]())

type Row = { readonly id: string; readonly title: string }

const merchant = (livemode = false): Whose => ({ merchantId: randomUUID(), livemode })

/** The first page, newest first, unless told otherwise. */
const list = async (whose: Whose, { after, limit = 20, order = 'desc' }: Partial<PlacedPage> = {}) => {
  const { sql } = await opened
  const page = { after, limit, order }
  return listPlaced<Row>(sql, { table: 'payment_links', whose, page, columns: sql`id, title` })
}

const placeOf = async (whose: Whose, id: string) => {
  const place = await findPlace((await opened).sql, 'payment_links', whose, id)
  if (!place) throw new Error('the cursor names nothing')
  return place
}

/** Writes a link of this title and commits it when told to. */
const write = async ({ merchantId, livemode }: Whose, title: string) => {
  // Of its own, so that it can say when it begins.
  const connection = connect((await opened).url, { max: 1 })
  await connection`begin`
  const [row] = await connection<{ id: string }[]>`
    insert into payment_links
      (id, state, rev, version, created_at, updated_at, merchant_id, livemode, amount_minor, currency, title,
        metadata, window_minutes, payments_opened, payments_processing, payments_count)
    values (${randomUUID()}, 'active', 1, 1, now(), now(), ${merchantId}, ${livemode}, 1, 'USD', ${title},
      '{}', 30, 0, 0, 0)
    returning id`
  return {
    id: row?.id ?? '',
    commit: async () => {
      await connection`commit`
      await connection.end()
    },
  }
}

const committed = async (whose: Whose, title: string) => {
  const { id, commit } = await write(whose, title)
  await commit()
  return id
}

const titles = (rows: readonly Row[]) => rows.map(({ title }) => title)

/** Goes on from the last row it has seen, until there is no more. */
const walk = async (whose: Whose, seen: Row[]) => {
  for (;;) {
    const last = seen.at(-1)
    const page = await list(whose, { order: 'asc', limit: 2, after: last && (await placeOf(whose, last.id)) })
    if (page.length === 0) return
    seen.push(...page.slice(0, 2))
  }
}

test.each([
  ['in the order in which they began', (n: number) => n],
  ['the last first', (n: number) => 7 - n],
  ['the odd ones first', (n: number) => (n < 4 ? 2 * n + 1 : 2 * n - 8)],
])('eight writers that commit %s are all seen, once, in one order', async (_, order) => {
  const whose = merchant()
  const writers = []
  for (let n = 0; n < 8; n++) writers.push(await write(whose, `${n}`))
  const seen: Row[] = []
  for (let n = 0; n < 8; n++) {
    await walk(whose, seen)
    await writers[order(n)]?.commit()
  }
  await walk(whose, seen)
  expect(titles(seen)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  expect(titles(await list(whose))).toEqual(titles(seen).toReversed())
})

test('a row is not listed while an older write may still commit, and is waited for no longer than a moment', async () => {
  const whose = merchant()
  await committed(whose, 'first')
  const older = await write(merchant(), 'of another')
  const younger = await committed(whose, 'second')
  const asked = performance.now()
  expect(titles(await list(whose))).toEqual(['first'])
  expect(performance.now() - asked).toBeWithin(95, 1_000)
  expect(titles(await list(whose, { order: 'asc' }))).toEqual(['first'])
  // As a cursor it is good all the same.
  const after = await placeOf(whose, younger)
  expect(after.settled).toBe(false)
  expect(titles(await list(whose, { after }))).toEqual(['first'])
  expect(await list(whose, { after, order: 'asc' })).toEqual([])
  await older.commit()
  expect(titles(await list(whose))).toEqual(['second', 'first'])
  // Also when it was looked up before.
  for (const place of [after, await placeOf(whose, younger)])
    expect(titles(await list(whose, { after: place }))).toEqual(['first'])
})

test.each(['asc', 'desc'] as const)('a list, %s, waits for a row whose elders are about to commit', async order => {
  const whose = merchant()
  const older = await write(merchant(), 'of another')
  await committed(whose, 'mine')
  const listed = list(whose, { order })
  setTimeout(older.commit, 20)
  expect(titles(await listed)).toEqual(['mine'])
})

test('a page of rows that are settled waits for none that come after it', async () => {
  const whose = merchant()
  await committed(whose, 'first')
  await committed(whose, 'second')
  const open = await write(merchant(), 'of another')
  await committed(whose, 'third')
  const asked = performance.now()
  expect(titles(await list(whose, { order: 'asc', limit: 1 }))).toEqual(['first', 'second'])
  expect(performance.now() - asked).toBeLessThan(90)
  await open.commit()
})

test('a writer of another merchant who never stops keeps nobody from seeing what is settled at once', async () => {
  const whose = merchant()
  await committed(whose, 'mine')
  await until(async () => (await list(whose)).length === 1)
  const open = await write(merchant(), 'of another')
  const asked = performance.now()
  expect(titles(await list(whose))).toEqual(['mine'])
  expect(performance.now() - asked).toBeLessThan(90)
  await open.commit()
})

test('rows of an era before this one are settled, whatever their transactions were called', async () => {
  const { sql } = await opened
  const whose = merchant()
  const id = await committed(whose, 'restored')
  await sql`update payment_links set era = era - 1, xid = '9000000000000000000' where id = ${id}`
  await committed(whose, 'new')
  expect(titles(await list(whose))).toEqual(['new', 'restored'])
  expect(titles(await list(whose, { order: 'asc' }))).toEqual(['restored', 'new'])
  expect(titles(await list(whose, { order: 'asc', after: await placeOf(whose, id) }))).toEqual(['new'])
})

test('a place is that of the own record in the own mode', async () => {
  const { sql } = await opened
  const whose = merchant()
  const id = await committed(whose, 'mine')
  for (const other of [merchant(), { ...whose, livemode: true }])
    expect(await findPlace(sql, 'payment_links', other, id)).toBeUndefined()
  expect(await placeOf(whose, id)).toMatchObject({ settled: true })
})
