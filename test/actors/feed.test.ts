import { expect, test } from 'bun:test'
import { feedLagMs, readFeed } from '../../src/actors/feed.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { createLamp, eventCommand, lampInstance, openInstance } from './lamps.ts'

const walk = async (sql: Sql, after: string | null = null) => {
  const seen = []
  for (let cursor = after; ; ) {
    const page = await readFeed(sql, cursor, 100)
    const last = page.at(-1)
    if (!last) return seen
    seen.push(...page)
    cursor = last.cursor
  }
}

test("the feed contains every transition once, each actor's in order", async () => {
  await using instance = await lampInstance()
  const ids = await Promise.all(Array.from({ length: 60 }, () => createLamp(instance.actors)))
  for (const type of ['switch_on', 'switch_off', 'switch_on']) {
    await Promise.all(ids.map(id => instance.actors.dispatch(eventCommand(id, type))))
  }
  const seen = await until(async () => {
    const all = await walk(instance.sql)
    return all.length === 240 && all
  })
  for (const id of ids) expect(seen.filter(({ actor }) => actor === id).map(({ rev }) => rev)).toEqual([1, 2, 3, 4])
  expect(seen[0]).toMatchObject({ kind: 'lamp', event: 'create', from: null, to: 'off', context: { switched: 0 } })
})

test('a reader never passes an open transaction', async () => {
  await using instance = await lampInstance()
  const slow = connect(instance.url, { max: 1 })
  // A transaction that has written and not committed, like that of a slow writer or of another database.
  await slow.unsafe('begin; select pg_current_xact_id()')
  await createLamp(instance.actors)
  expect(await readFeed(instance.sql, null, 10)).toHaveLength(0)
  expect(await feedLagMs(instance.sql)).toBeGreaterThan(0)
  await slow.unsafe('commit')
  expect(await readFeed(instance.sql, null, 10)).toHaveLength(1)
  await slow.end()
})

test('a reader misses and repeats nothing while two instances write', async () => {
  await using instance = await lampInstance()
  const other = await openInstance(instance.url)
  const ids = await Promise.all(Array.from({ length: 50 }, () => createLamp(instance.actors)))
  let writing = true
  const writers = [instance, other].map(async ({ actors }) => {
    for (let round = 0; round < 40; round++) {
      await Promise.all(ids.map(id => actors.dispatch(eventCommand(id, 'count', { by: 1 }))))
    }
  })
  const read = (async () => {
    const seen: string[] = []
    let cursor: string | null = null
    for (;;) {
      const ended: boolean = !writing
      const page = await readFeed(instance.sql, cursor, 37)
      seen.push(...page.map(({ actor, rev }) => `${actor} ${rev}`))
      cursor = page.at(-1)?.cursor ?? cursor
      if (ended && page.length === 0) return seen
    }
  })()
  await Promise.all(writers)
  writing = false
  const seen = await read
  expect(seen).toHaveLength(50 + 50 * 2 * 40)
  expect(new Set(seen).size).toBe(seen.length)
  await other.close()
}, 60_000)

test('after a move to a cluster with lower transaction ids, new entries still sort last', async () => {
  await using instance = await lampInstance()
  await createLamp(instance.actors)
  // Like a restored dump: another cluster wrote the last era, with higher ids.
  await instance.sql`update eras set cluster = 1`
  await instance.sql`update transitions set xid = '9000000000000'::xid8`
  await instance.sql`update eras set postmaster_started = now()`
  const before = await readFeed(instance.sql, null, 10)
  expect(before).toHaveLength(0)
  await createLamp(instance.actors)
  const feed = await until(async () => {
    const entries = await readFeed(instance.sql, null, 10)
    return entries.length === 2 && entries
  })
  expect(feed.map(({ cursor }) => cursor.split('.')[0])).toEqual(['1', '2'])
  expect(await readFeed(instance.sql, feed[0]?.cursor ?? null, 10)).toHaveLength(1)
})

test('a standby that is promoted begins a new era, although its system identifier is the same', async () => {
  await using instance = await lampInstance()
  await createLamp(instance.actors)
  const [before] = await instance.sql<{ cluster: string }[]>`select cluster from eras`
  expect(before?.cluster).toMatch(/^\d+\.[0-9A-F]{8}(\.\d+){2,3}$/)
  // What it copied was written on the previous timeline, by a server started earlier.
  await instance.sql`update eras set cluster = regexp_replace(cluster, '[.]........[.]', '.00000000.'), postmaster_started = '2020-01-01'`
  await createLamp(instance.actors)
  const eras = await instance.sql<{ era: number; cluster: string }[]>`select era, cluster from eras order by era`
  expect(eras.map(({ era }) => era)).toEqual([1, 2])
  expect(eras[1]?.cluster).toBe(before?.cluster)
  expect((await instance.sql`select era from transitions order by era`).map(({ era }) => era)).toEqual([1, 2])
})

test('a dump restored within its cluster begins a new era, also while processes run', async () => {
  await using instance = await lampInstance()
  await createLamp(instance.actors)
  // The table is created again; the cluster and its start are the same.
  await instance.sql.unsafe(`
    alter table eras rename to dumped;
    create table eras (like dumped including all);
    insert into eras table dumped;
    drop table dumped`)
  await createLamp(instance.actors)
  expect((await instance.sql`select era from transitions order by era`).map(({ era }) => era)).toEqual([1, 2])
})

test('a database copied within its cluster begins a new era at the next start', async () => {
  await using db = await database()
  await db.sql`select check_era()`
  await db.sql.end()
  const url = new URL(db.url)
  const name = url.pathname.slice(1)
  url.pathname = '/postgres'
  const admin = connect(url.href, { max: 1 })
  await admin.unsafe(`create database ${name}_copy template ${name}`)
  const copy = connect(`${db.url}_copy`, { max: 1 })
  expect([...(await copy`select check_era() as era`)]).toEqual([{ era: 2 }])
  await copy.end()
  await admin.unsafe(`drop database ${name}_copy`)
  await admin.end()
})

test('an invalid cursor is refused', async () => {
  await using instance = await lampInstance()
  await expect(readFeed(instance.sql, '1.2', 10)).rejects.toThrow('"1.2" is not a cursor')
})
