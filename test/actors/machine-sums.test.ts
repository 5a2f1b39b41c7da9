import { expect, test } from 'bun:test'
import { runFeedReaders } from '../../src/actors/feed-readers.ts'
import { registered } from '../../src/actors/kind.ts'
import { addTransitions, machineSumsReader, rebuildMachineSums } from '../../src/actors/machine-sums.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { lamp } from './lamp.ts'
import { createLamp, eventCommand, lampInstance, openInstance } from './lamps.ts'

const byState = (rows: readonly { state: string; actors: string }[]) =>
  Object.fromEntries(rows.map(({ state, actors }) => [state, Number(actors)]).filter(([, actors]) => actors !== 0))

/** The counts that operators see, and those of the rows, in one snapshot. */
const counts = async (sql: Sql) => {
  const [row] = await sql<{ seen: never[] | null; real: never[] | null }[]>`
    select (select json_agg(c order by state) from count_states() c) as seen,
      (select json_agg(r) from (select state, count(*) as actors from lamps group by state order by state) r) as real`
  return { seen: byState(row?.seen ?? []), real: byState(row?.real ?? []) }
}

const stored = async (sql: Sql) =>
  byState(await sql<{ state: string; actors: string }[]>`select state, actors from machine_states order by state`)

const addAll = async (sql: Sql, most = 1_000): Promise<void> => {
  while ((await addTransitions(sql, most)) > 0);
}

const sumsOf = async (sql: Sql) => ({
  states: await stored(sql),
  flows: await sql`select span, from_state, to_state, taken from machine_flows order by 1, 2, 3`,
  stays: await sql`select span, state, sum(stays) as stays from machine_stays group by 1, 2 order by 1, 2`,
})

test('counts equal the rows at every moment, before and after transitions are added, in pages of any size', async () => {
  await using instance = await lampInstance()
  const { sql, actors } = instance
  const ids = await Promise.all(Array.from({ length: 40 }, () => createLamp(actors)))
  const take = (type: string, some: readonly string[]) =>
    Promise.all(some.map(id => actors.dispatch(eventCommand(id, type))))
  await take('switch_on', ids.slice(0, 25))
  expect((await counts(sql)).seen).toEqual({ off: 15, on: 25 })
  expect(await stored(sql)).toEqual({})
  await until(async () => (await addTransitions(sql, 7)) === 7)
  const { seen, real } = await counts(sql)
  expect(seen).toEqual(real)
  await addAll(sql, 7)
  expect(await stored(sql)).toEqual({ off: 15, on: 25 })
  await take('switch_off', ids.slice(0, 5))
  // Stays in its state.
  await take('flash', ids.slice(10, 20))
  expect((await counts(sql)).seen).toEqual({ off: 20, on: 20 })
  await addAll(sql)
  expect(await stored(sql)).toEqual({ off: 20, on: 20 })
  expect(await addTransitions(sql, 10)).toBe(0)
  const { flows, stays } = await sumsOf(sql)
  expect(flows.map(({ span, from_state, to_state, taken }) => `${span} ${from_state} ${to_state} ${taken}`)).toEqual([
    ...['day', 'hour', 'minute', 'week'].flatMap(span => [`${span} off on 25`, `${span} on off 5`]),
  ])
  expect(stays.map(({ span, state, stays }) => `${span} ${state} ${stays}`)).toEqual([
    ...['day', 'hour', 'minute', 'week'].flatMap(span => [`${span} off 25`, `${span} on 5`]),
  ])
})

test('counts stay exact while an open transaction holds the feed back, and while four processes add at once', async () => {
  await using instance = await lampInstance()
  const other = await openInstance(instance.url)
  const { sql, world } = instance
  const slow = connect(instance.url, { max: 1 })
  const ids = await Promise.all(Array.from({ length: 60 }, () => createLamp(instance.actors)))
  const keeping = Array.from({ length: 4 }, (_, n) =>
    runFeedReaders(n % 2 ? world : other.world, [machineSumsReader], { isChosen: () => true, everyMs: 5 }),
  )
  let writing = true
  const write = async (actors: typeof instance.actors, offset: number) => {
    for (let n = offset; writing; n += 7) {
      const id = ids[n % ids.length] ?? ''
      await actors.dispatch(eventCommand(id, n % 2 ? 'switch_on' : 'switch_off'))
    }
  }
  const writers = [write(instance.actors, 0), write(other.actors, 1), write(instance.actors, 2)]
  for (let round = 0; round < 20; round++) {
    if (round === 8) await slow.unsafe('begin; select pg_current_xact_id()')
    if (round === 14) await slow.unsafe('rollback')
    const { seen, real } = await counts(sql)
    expect(seen).toEqual(real)
    await Bun.sleep(20)
  }
  writing = false
  await Promise.all(writers)
  // A process that has added the last transitions stores the same counts.
  await until(async () => {
    const { real } = await counts(sql)
    return JSON.stringify(await stored(sql)) === JSON.stringify(real)
  })
  await Promise.all(keeping.map(each => each.stop()))
  await slow.end()
  await other.close()
})

test('a long page counts every stay, of which it measures about fifty in each state', async () => {
  await using instance = await lampInstance()
  const { sql, actors } = instance
  const ids = await Promise.all(Array.from({ length: 340 }, () => createLamp(actors)))
  await Promise.all(ids.map(id => actors.dispatch(eventCommand(id, 'switch_on'))))
  await until(async () => (await addTransitions(sql, 5_000)) === 680)
  const [row] = await sql<
    { stays: number }[]
  >`select sum(stays)::integer as stays from machine_stays where span = 'day'`
  expect(row?.stays).toBeGreaterThan(330)
  expect(row?.stays).toBeLessThanOrEqual(340)
})

test('a rebuild makes the same sums from the rows and the history, with transitions that are not settled', async () => {
  await using instance = await lampInstance()
  const { sql, actors } = instance
  const ids = await Promise.all(Array.from({ length: 30 }, () => createLamp(actors)))
  for (const type of ['switch_on', 'switch_off', 'switch_on'])
    await Promise.all(ids.slice(0, 20).map(id => actors.dispatch(eventCommand(id, type))))
  await until(async () => (await addTransitions(sql, 5_000)) === 90)
  const before = await sumsOf(sql)
  await sql`update machine_states set actors = actors + 3`
  await sql`delete from machine_flows`
  await sql`update machine_stays set stays = stays * 2`
  const slow = connect(instance.url, { max: 1 })
  await slow.unsafe('begin; select pg_current_xact_id()')
  await actors.dispatch(eventCommand(ids[0] ?? '', 'switch_off'))
  await rebuildMachineSums(sql, [registered(lamp)])
  const { seen, real } = await counts(sql)
  expect(seen).toEqual(real)
  expect(await sumsOf(sql)).toEqual(before)
  await slow.unsafe('rollback')
  await slow.end()
  await until(async () => (await addTransitions(sql, 5_000)) === 1)
  expect((await counts(sql)).seen).toEqual((await counts(sql)).real)
  expect(await stored(sql)).toEqual((await counts(sql)).real)
})

test('sums that no window shows are deleted', async () => {
  await using instance = await lampInstance()
  const { sql } = instance
  const hours = [1, 3, 24, 26, 740, 750]
  for (const ago of hours)
    for (const span of ['minute', 'hour', 'day', 'week']) {
      await sql`insert into machine_flows values (${span}, now() - ${ago} * interval '1 hour', 'lamp', 'on', 'off', 1)`
      await sql`insert into machine_stays values (${span}, now() - ${ago} * interval '1 hour', 'lamp', 'on', 1, 1)`
    }
  await sql`select prune_machine_sums()`
  const left = async (table: string, span: string) => {
    const rows = await sql<{ ago: number }[]>`
      select round(extract(epoch from now() - starts_at) / 3600)::integer as ago from ${sql(table)} where span = ${span}
      order by 1`
    return rows.map(({ ago }) => ago)
  }
  expect(await left('machine_flows', 'minute')).toEqual([1])
  expect(await left('machine_flows', 'hour')).toEqual([1, 3, 24, 26, 740])
  expect(await left('machine_stays', 'minute')).toEqual([1])
  expect(await left('machine_stays', 'hour')).toEqual([1, 3, 24])
  for (const span of ['day', 'week']) {
    expect(await left('machine_flows', span)).toEqual([1, 3, 24, 26, 740])
    expect(await left('machine_stays', span)).toEqual([1, 3, 24, 26, 740])
  }
})

test('the spans of a window cover it once, without a gap, and are few however long it is', async () => {
  await using instance = await lampInstance()
  const { sql } = instance
  for (const [hours, finest, most] of [
    [1, 'minute', 60],
    [24, 'hour', 24],
    [168, 'hour', 23 + 6 + 2],
    [720, 'hour', 23 + 6 + 5],
    [720, 'day', 6 + 5],
  ] as const) {
    const [row] = await sql<{ spans: number; hasGap: boolean; lateBy: number; isOver: boolean }[]>`
      with spans as (
        select starts_at, starts_at + ('1 ' || span)::interval as ends_at
        from spans_since(now() - ${hours} * interval '1 hour', ${finest})),
      ordered as (select *, lead(starts_at) over (order by starts_at) as next from spans)
      select count(*)::integer as spans, coalesce(bool_or(next <> ends_at), false) as "hasGap",
        extract(epoch from min(starts_at) - (now() - ${hours} * interval '1 hour'))::float8
          / extract(epoch from ('1 ' || ${finest})::interval)::float8 as "lateBy",
        max(ends_at) > now() as "isOver"
      from ordered`
    expect([hours, row?.hasGap, row?.isOver]).toEqual([hours, false, true])
    expect(row?.spans).toBeLessThanOrEqual(most)
    expect(row?.lateBy).toBeGreaterThanOrEqual(0)
    expect(row?.lateBy).toBeLessThan(1)
  }
})
