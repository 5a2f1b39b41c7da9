import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { findChangesBegin } from '../../src/queries/changes.ts'
import { readDatabase } from '../../src/queries/ops/database.ts'
import { dropOfActors, findDroppedSeq, findOldActors, reportRetention } from '../../src/queries/retention.ts'
import { findingsAfter } from '../audit/planted.ts'
import { until } from '../harness/until.ts'
import { AGES, agedInstance, bodies } from './aged-deliveries.ts'
import { countIn, daysAgo, readFeeds, recordAudit, runRetention } from './retaining.ts'

test('the responses of attempts are dropped after 30 days and deliveries after 90, in parts that leave a row each', async () => {
  await using instance = await agedInstance()
  const { sql, endpoint, closed } = instance
  // Either can be missing.
  await sql`update delivery_attempts set response_snippet = null where number = 1`
  await sql`update delivery_attempts set response_headers = null where number = 2`
  expect(await countIn(instance, 'delivery_attempts', bodies)).toBe(AGES.length * 2)
  const lines = await runRetention(instance, { transitionsAtOnce: 3 })
  expect(lines.map(({ message, part, dropped }) => ({ message, part, dropped }))).toEqual([
    // Those of the two open deliveries never had a response.
    { message: 'old records dropped', part: 'attempt_bodies', dropped: 7 * 2 },
    { message: 'old records dropped', part: 'deliveries', dropped: 5 },
  ])
  expect(await countIn(instance, 'deliveries', `endpoint_id = '${endpoint}'`)).toBe(4)
  expect(await countIn(instance, 'delivery_attempts')).toBe(4 * 2)
  expect(await countIn(instance, 'delivery_attempts', bodies)).toBe(2 * 2)
  expect(await countIn(instance, 'transitions', `kind = 'delivery'`)).toBe(4 * 2)
  // What is open stays, however old it is, and so does what was published.
  expect(await countIn(instance, 'deliveries', `endpoint_id = '${closed}' and state = 'pending'`)).toBe(1)
  expect(await countIn(instance, 'events')).toBe(AGES.length + 1)
  const parts = await sql<{ part: string; age: number; dropped: number }[]>`
    select part, (now() at time zone 'UTC')::date - day as age, dropped::integer as dropped from dropped_parts order by part, day`
  expect([...parts]).toEqual([
    ...AGES.slice(0, 7).map(age => ({ part: 'attempt_bodies', age, dropped: 2 })),
    ...AGES.slice(0, 5).map(age => ({ part: 'deliveries', age, dropped: 1 })),
  ])
  expect(await audit(sql, kinds)).toEqual([])
  expect(await runRetention(instance)).toEqual([])
  // As after some weeks: what was too young is found.
  const shorter = { attemptBodies: 10, deliveries: 35, history: 400 }
  expect(await runRetention(instance, { retainDays: shorter })).toMatchObject([
    { part: 'attempt_bodies', dropped: 1 * 2 },
    { part: 'deliveries', dropped: 2 },
  ])
  expect(await audit(sql, kinds)).toEqual([])
})

test('the sums of the state machines follow, and making them again gives the same', async () => {
  await using instance = await agedInstance()
  await runRetention(instance)
  const states = () => instance.sql`select * from machine_states where actors <> 0 order by kind, state`
  const kept = await states()
  expect(kept.filter(({ kind, state }) => kind === 'delivery' && state === 'delivered')).toEqual([
    { kind: 'delivery', state: 'delivered', actors: '4' },
  ])
  await instance.sql`select rebuild_machine_sums('{"delivery": "deliveries"}')`
  const rebuilt = await states()
  const [before, after] = [kept, rebuilt].map(rows => rows.filter(({ state }) => state === 'delivered'))
  expect(after).toEqual(before)
})

test('the place of a dropped delivery is known to its merchant for a day, and then deleted', async () => {
  await using instance = await agedInstance()
  const { sql } = instance
  const [oldest] = await sql<{ id: string; seq: string; merchant_id: string }[]>`
    select id, seq, merchant_id from deliveries where state = 'delivered' order by seq limit 1`
  const { id = '', seq, merchant_id: merchantId = '' } = oldest ?? {}
  await runRetention(instance)
  const find = (owner: { merchantId?: string; livemode?: boolean }) =>
    findDroppedSeq(sql, { merchantId, livemode: false, ...owner }, id)
  expect([await find({}), await find({ merchantId: crypto.randomUUID() }), await find({ livemode: true })]).toEqual([
    seq,
    undefined,
    undefined,
  ])
  const places = () => countIn(instance, 'dropped_places')
  // Each delivery, and both of its transitions.
  expect(await places()).toBe(5 * 3)
  await sql`update dropped_places set dropped_at = dropped_at - interval '1 day 1 minute' where actor <> ${id}`
  await sql`update dropped_places set dropped_at = dropped_at - interval '23 hours' where actor = ${id}`
  await runRetention(instance, { retainDays: { attemptBodies: 10, deliveries: 35, history: 400 } })
  expect(await places()).toBe(2 * 3 + 3)
  expect(await find({})).toBe(seq)
})

const day = `(select day from dropped_parts where part = 'deliveries' order by day limit 1)`

test.each([
  ['a row of what was dropped is missing', `delete from dropped_parts where part = 'deliveries' and day = ${day}`],
  ['the last row is missing', `delete from dropped_parts where part = 'attempt_bodies' and day > current_date - 45`],
  ['a count was changed', `update dropped_parts set dropped = dropped + 1 where part = 'deliveries' and day = ${day}`],
  ['a day was changed', `update dropped_parts set day = day - 1 where part = 'deliveries' and day = ${day}`],
  ['a last ID was changed', `update dropped_parts set last_id = gen_random_uuid()`],
  ['a time was changed', `update dropped_parts set dropped_at = dropped_at - interval '1 hour'`],
  [
    'a count was changed with its digest and the sum',
    `update dropped_parts set dropped = dropped + 1, digest = dropped_part_digest(part, day, dropped + 1, last_id, dropped_at)
     where part = 'deliveries' and day = ${day};
     update retention_progress set dropped = dropped + 1 where part = 'deliveries'`,
  ],
  [
    'a younger delivery is missing',
    `delete from deliveries where state = 'delivered' and created_at > now() - interval '30 days'`,
  ],
  [
    'an open delivery of a day of which some were dropped is missing',
    `delete from transitions where kind = 'delivery' and actor in (select id from deliveries where state = 'pending');
     delete from deliveries where state = 'pending'`,
  ],
  ['an attempt that is kept is missing', `delete from delivery_attempts where number = 2`],
  ['an entry of a history that is kept is missing', `delete from transitions where kind = 'delivery' and rev = 3`],
])('after deliveries were dropped, the audit finds that %s', async (_, change) => {
  await using instance = await agedInstance()
  await runRetention(instance)
  expect((await findingsAfter(instance.url, change)).length).toBeGreaterThan(0)
})

const outcomes = async ({ sql }: { readonly sql: Sql }): Promise<unknown[]> => {
  const { retention } = await readDatabase(sql)
  return retention.map(({ part, completedAt, dropped, heldBack }) => [part, dropped, completedAt !== null, heldBack])
}

test('how far each part has come is known to operators, and why it is held back', async () => {
  await using instance = await agedInstance()
  const { sql } = instance
  await recordAudit(instance, 'findings')
  await runRetention(instance)
  expect(await outcomes(instance)).toEqual([
    ['attempt_bodies', 0, false, 'audit'],
    ['deliveries', 0, false, 'audit'],
    ['history', 0, false, 'audit'],
  ])
  await recordAudit(instance, 'clean')
  await sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before update on delivery_attempts execute function refuse()`)
  const lines = await runRetention(instance)
  expect(lines.map(({ message }) => message)).toEqual(['old records dropped', 'old records not dropped, retrying'])
  const done = [
    ['deliveries', 5, true, null],
    ['history', 0, true, null],
  ]
  expect(await outcomes(instance)).toEqual([['attempt_bodies', 0, false, 'failed'], ...done])
  await sql`drop trigger refuse on delivery_attempts`
  await runRetention(instance)
  // Those of the deliveries are gone with them.
  expect(await outcomes(instance)).toEqual([['attempt_bodies', 4, true, null], ...done])
  // Written once a night, not with each check.
  const [written] = await sql`select xmin::text as xmin from retention_progress where part = 'history'`
  await runRetention(instance)
  expect(await sql`select xmin::text as xmin from retention_progress where part = 'history'`).toEqual([
    written,
  ] as never)
  await sql`update retention_progress set completed_at = completed_at - interval '1 day'`
  await runRetention(instance)
  expect((await readDatabase(sql)).retention.map(({ ageSeconds }) => Number(ageSeconds) < 3_600)).toEqual([
    true,
    true,
    true,
  ])
  await runRetention(instance, { retainDays: { attemptBodies: 30, deliveries: undefined, history: undefined } })
  expect(await outcomes(instance)).toEqual([
    ['attempt_bodies', 4, true, null],
    ['deliveries', 5, false, null],
    ['history', 0, false, null],
  ])
})

test('nothing is dropped without a clean audit of today, or by settings that keep all', async () => {
  await using instance = await agedInstance()
  const { sql } = instance
  const counted = () => Promise.all([countIn(instance, 'deliveries'), countIn(instance, 'delivery_attempts', bodies)])
  const all = await counted()
  expect(
    await runRetention(instance, {
      retainDays: { attemptBodies: undefined, deliveries: undefined, history: undefined },
    }),
  ).toEqual([])
  await sql`update audits set finished_at = finished_at - interval '1 day'`
  expect(await runRetention(instance)).toEqual([])
  await recordAudit(instance, 'findings')
  expect(await runRetention(instance)).toMatchObject([
    { level: 'warn', message: 'old records not dropped, the audit found broken invariants' },
  ])
  expect(await counted()).toEqual(all)
  expect(await countIn(instance, 'dropped_parts')).toBe(0)
})

test.each([
  ['I5', `update delivery_attempts set outcome = 'http_error' where outcome = 'delivered'`],
  ['I1', `update deliveries set created_at = created_at + interval '1 ms' where state = 'delivered'`],
  ['I9', `update transitions set cause = 'other' where kind = 'delivery'`],
  ['I9', `delete from transitions where kind = 'delivery' and rev = 3`],
])('a part in which %s is broken is not dropped', async (invariant, change) => {
  await using instance = await agedInstance()
  const alone = connect(instance.url, { max: 1 })
  try {
    await alone`begin`
    await alone.unsafe(change)
    const before = daysAgo(90)
    const lines = await runRetention({ ...instance, sql: alone })
    expect(lines.map(({ message }) => message)).toContain('old records not dropped, their audit failed')
    expect(JSON.stringify(lines)).toContain(`"${invariant}: `)
    expect(await findOldActors(alone, 'deliveries', { before, most: 1_000 })).toMatchObject({ step: 0 })
    expect(await countIn({ ...instance, sql: alone }, 'dropped_parts')).toBe(0)
    expect(await outcomes({ sql: alone })).toContainEqual(['deliveries', 0, false, 'broken'])
  } finally {
    await alone`rollback`
    await alone.end()
  }
})

test('a delivery that is sent again after it was found is kept, and so is one that another transaction has locked', async () => {
  await using instance = await agedInstance()
  const { sql, world, endpoint } = instance
  const before = daysAgo(90)
  const found = await findOldActors(sql, 'deliveries', { before, most: 1_000 })
  expect(found?.actors).toHaveLength(5)
  const [again = '', locked = ''] = found?.actors ?? []
  expect(await world.actors.dispatch({ kind: 'delivery', actor: again, event: { type: 'redeliver' } })).toMatchObject({
    ok: true,
  })
  const sender = instance.startSender()
  sender.wake([endpoint])
  await until(
    async () =>
      (await countIn(instance, 'deliveries', `id = '${again}' and state = 'delivered' and attempts = 3`)) === 1,
  )
  await readFeeds(instance)
  const alone = connect(instance.url, { max: 1 })
  try {
    await alone`begin`
    await alone`select from delivery_attempts where delivery_id = ${locked} limit 1 for update`
    if (!found) throw new Error('nothing was found')
    expect(await dropOfActors(sql, 'deliveries', found, before)).toEqual({ dropped: 3, locked: 1 })
    expect(await countIn(instance, 'deliveries', `id in ('${again}', '${locked}')`)).toBe(2)
    // Its step is over.
    expect(await dropOfActors(sql, 'deliveries', found, before)).toBeUndefined()
    expect(await runRetention(instance)).toMatchObject([{ part: 'attempt_bodies' }])
  } finally {
    await alone`rollback`
    await alone.end()
  }
  expect(await runRetention(instance)).toMatchObject([
    { part: 'attempt_bodies', dropped: 1 },
    { part: 'deliveries', dropped: 1 },
  ])
  expect(await countIn(instance, 'deliveries', `endpoint_id = '${endpoint}'`)).toBe(5)
})

test('transitions that a reader of the feed has not passed are kept', async () => {
  await using instance = await agedInstance()
  await instance.sql`update feed_cursors set era = 0, xid = '0', seq = 0 where reader = 'payments'`
  expect(await runRetention(instance)).toEqual([])
  await readFeeds(instance)
  expect(await runRetention(instance)).toHaveLength(2)
})

test('a wait for the reader of the sums holds no delivery, which can be sent again meanwhile', async () => {
  await using instance = await agedInstance()
  const { sql, world } = instance
  const before = daysAgo(90)
  const found = await findOldActors(sql, 'deliveries', { before, most: 1_000 })
  const [again = ''] = found?.actors ?? []
  if (!found) throw new Error('nothing was found')
  const reader = connect(instance.url, { max: 1 })
  try {
    await reader`begin`
    await reader`select from feed_cursors where reader = 'machines' for update`
    const dropping = dropOfActors(sql, 'deliveries', found, before)
    await until(
      async () =>
        (await countIn(instance, 'pg_stat_activity', `wait_event_type = 'Lock' and query like '%drop_deliveries%'`)) ===
        1,
    )
    expect(await world.actors.dispatch({ kind: 'delivery', actor: again, event: { type: 'redeliver' } })).toMatchObject(
      { ok: true },
    )
    await reader`commit`
    expect(await dropping).toEqual({ dropped: 4, locked: 0 })
  } finally {
    await reader.end()
  }
  expect(await countIn(instance, 'deliveries', `id = '${again}'`)).toBe(1)
})

test('an attempt that another transaction has locked keeps its response until the next check, and nothing waits', async () => {
  await using instance = await agedInstance()
  const { sql } = instance
  const alone = connect(instance.url, { max: 1 })
  const onlyBodies = { retainDays: { attemptBodies: 30, deliveries: undefined, history: undefined } }
  try {
    await alone`begin`
    await alone`
      select from delivery_attempts where delivery_id = (select id from deliveries where state = 'delivered' order by created_at limit 1)
      and number = 1 for update`
    expect(await runRetention(instance, onlyBodies)).toMatchObject([{ part: 'attempt_bodies', dropped: 7 * 2 - 1 }])
    expect(await outcomes({ sql })).toContainEqual(['attempt_bodies', 7 * 2 - 1, false, null])
  } finally {
    await alone`rollback`
    await alone.end()
  }
  await Promise.all([runRetention(instance, onlyBodies), runRetention(instance, onlyBodies)])
  expect(await outcomes({ sql })).toContainEqual(['attempt_bodies', 7 * 2, true, null])
  expect(await audit(sql, kinds)).toEqual([])
})

test('what another process is dropping is left to it, without a wait', async () => {
  await using instance = await agedInstance()
  const before = daysAgo(90)
  const alone = connect(instance.url, { max: 1 })
  try {
    await alone`begin`
    await alone`select from retention_progress where part = 'deliveries' for update`
    const found = await findOldActors(instance.sql, 'deliveries', { before, most: 1_000 })
    if (!found) throw new Error('nothing was found')
    expect(await dropOfActors(instance.sql, 'deliveries', found, before)).toBeUndefined()
    // Nor does what records the outcome of a check wait.
    await reportRetention(instance.sql, 'deliveries', 'failed')
    expect(await outcomes(instance)).toContainEqual(['deliveries', 0, false, null])
  } finally {
    await alone`rollback`
    await alone.end()
  }
})

test('two processes that drop at the same time drop everything once', async () => {
  await using instance = await agedInstance()
  const run = () => runRetention(instance, { transitionsAtOnce: 1 })
  await Promise.all([run(), run(), run()])
  await run()
  expect(await countIn(instance, 'deliveries')).toBe(4 + 1)
  const [sum] = await instance.sql<{ dropped: number }[]>`
    select sum(dropped)::integer as dropped from dropped_parts where part = 'deliveries'`
  expect(sum?.dropped).toBe(5)
  expect(await audit(instance.sql, kinds)).toEqual([])
})

test('a stream does not resume from a position before what was dropped', async () => {
  await using instance = await agedInstance()
  expect(await findChangesBegin(instance.sql)).toBeUndefined()
  await runRetention(instance)
  const [oldest] = await instance.sql<{ era: number; xid: string; seq: string }[]>`
    select era, xid::text as xid, seq from transitions where kind = 'delivery' order by era, xid, seq limit 1`
  const begin = await findChangesBegin(instance.sql)
  expect(begin).toBeDefined()
  expect(BigInt(begin?.xid ?? 0)).toBeLessThan(BigInt(oldest?.xid ?? 0))
})
