import { afterAll, describe, expect, test } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import type { Command } from '../../src/actors/command.ts'
import type { ActorRow } from '../../src/actors/rows.ts'
import { manualClock } from '../../src/clock.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import {
  type Claimed,
  endClaims,
  findClaimed,
  findDueBetween,
  findDueEndpoints,
  findLostDeliveries,
  type Records,
  recordAttempts,
  takeStep,
} from '../../src/queries/sending.ts'
import { bodyOf } from '../../src/webhooks/body.ts'
import {
  type AttemptEnd,
  attemptEndOf,
  claimedActor,
  decideEnd,
  readActor,
  withoutRequest,
} from '../../src/webhooks/outcome.ts'
import type { PostOutcome } from '../../src/webhooks/post.ts'
import { database } from '../harness/database.ts'
import { plansOf, waysTo } from '../harness/plans.ts'
import { deliveries } from '../machines/delivery-cases.ts'
import { minutes, T0 } from '../machines/table.ts'

const db = await database()
const sql = connect(db.url, { byKey: true, max: 4 })
const clock = manualClock(T0)
const actors = await openActors(
  { sql, clock, random: crypto.getRandomValues.bind(crypto), log: openLog('silent') },
  kinds,
)
afterAll(async () => {
  await sql.end({ timeout: 1 })
  await db[Symbol.asyncDispose]()
})

const worker = crypto.randomUUID()
const merchantId = crypto.randomUUID()
await sql`insert into merchants (id, name) values (${merchantId}, 'Lamps')`

const addEndpoint = async (state = 'enabled'): Promise<string> => {
  const id = crypto.randomUUID()
  await sql`
    insert into webhook_endpoints (
      id, merchant_id, livemode, url, event_types, state, disabled_reason, sealed_secret, enabled_at, created_at, updated_at)
    values (${id}, ${merchantId}, false, 'https://192.0.9.1/', '{payment.created}', ${state},
      ${state === 'disabled' ? 'by_merchant' : null}, 'v1.sealed', ${T0}, ${T0}, ${T0})`
  return id
}

const [event] = await sql<{ id: string }[]>`
  insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era)
  values (gen_random_uuid(), 'payment', gen_random_uuid(), 1, 'payment.created', ${merchantId}, false, '2026-11-20',
    '{"b": 1,  "a":"\\u00e9"}', ${T0}, current_era())
  returning id`
const eventId = event?.id ?? ''

/** A delivery in a situation of the machine's tests, brought there by the dispatcher, with an endpoint of its own. */
const placed = async (situation: string) => {
  const endpointId = await addEndpoint()
  const id = crypto.randomUUID()
  clock.set(T0)
  const input = { ...deliveries.input, eventId, endpointId, merchantId, eventType: 'payment.created' }
  await carryOut(id, { create: input })
  for (const name of (deliveries.situations[situation] ?? '').split(', ').filter(Boolean)) {
    const { at = T0, ...told } = deliveries.events[name] ?? { type: 'none' }
    clock.set(at)
    await carryOut(id, { event: told })
  }
  return { endpointId, id }
}

const carryOut = async (
  id: string,
  what: Pick<Extract<Command, { create: unknown }>, 'create'> | { event: { type: string } },
) => {
  const outcome = await actors.dispatch({ kind: 'delivery', actor: id, ...what })
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(what)}`)
  return outcome.actor
}

type Asked = { readonly at?: Date; readonly want?: number; readonly lowMs?: number; readonly id?: string }

const claim = async (
  endpointIds: readonly string[],
  { at = clock.now(), want = 9, lowMs = 0, id = crypto.randomUUID() }: Asked = {},
  on = sql,
): Promise<readonly Claimed[]> => {
  const requests = endpointIds.map(endpointId => ({ endpointId, want, lowMs }))
  return (await takeStep(on, nothing, { id, worker, at, endpoints: requests })).claimed
}

const nothing: Records = { command: crypto.randomUUID(), recorded: [], jobs: [], answered: [], finished: [] }

const record = (...recorded: Records['recorded']) =>
  recordAttempts(sql, { ...nothing, command: crypto.randomUUID(), recorded })

const attemptsOf = (id: string) => sql<{ number: number; outcome: string | null; http_status: number | null }[]>`
  select number, trigger, outcome, http_status, duration_ms, response_snippet from delivery_attempts
  where delivery_id = ${id} order by number`

/** All columns of a delivery except those that differ between any two deliveries. */
const stored = async (id: string) => {
  const [row] = await sql`select * from deliveries where id = ${id}`
  const history = await sql`
    select rev, kind, keyed, event, from_state, to_state, context, at, merchant_id, livemode, actor_created_at
    from transitions where actor = ${id} order by rev`
  const { id: _id, endpoint_id: _endpoint, seq: _seq, ...rest } = row ?? {}
  return { row: rest, history: [...history] }
}

describe('a claim does in SQL what the machine does on attempt_started', () => {
  for (const situation of Object.keys(deliveries.situations))
    for (const at of [T0, minutes(180)])
      test(`${situation}, ${at === T0 ? 'at once' : 'later'}`, async () => {
        const [ours, theirs] = [await placed(situation), await placed(situation)]
        clock.set(at)
        const [claimed] = await claim([ours.endpointId])
        const outcome = await actors.dispatch({
          kind: 'delivery',
          actor: theirs.id,
          event: { type: 'attempt_started' },
        })
        expect(claimed?.id).toBe(outcome.ok ? ours.id : undefined)
        expect(await stored(ours.id)).toEqual(await stored(theirs.id))
        if (!claimed || !outcome.ok) return
        // The sender continues with this row.
        const [row] = await sql<ActorRow[]>`select * from deliveries where id = ${ours.id}`
        expect(claimedActor(claimed, at)).toEqual(readActor(row ?? expect.unreachable()))
        expect(await attemptsOf(ours.id)).toMatchObject([{ number: claimed.attempts, outcome: null }])
      })
})

const answered = (outcome: PostOutcome['outcome'], more: Partial<PostOutcome> = {}): PostOutcome => ({
  ...{ outcome, httpStatus: null, responseSnippet: null, responseHeaders: null },
  ...{ retryAfterSeconds: null, durationMs: 12 },
  ...more,
})
/** The same random value always. */
const random = (bytes: Uint8Array) => bytes.fill(0x55)

const ends: Readonly<Record<string, (attempt: number) => AttemptEnd>> = {
  'a 2xx': attempt =>
    attemptEndOf(attempt, answered('delivered', { httpStatus: 204, responseSnippet: 'a "\\ b' }), minutes(181), random),
  'a 503': attempt =>
    attemptEndOf(attempt, answered('http_error', { httpStatus: 503, retryAfterSeconds: 7 }), minutes(181), random),
  'a timeout': attempt => attemptEndOf(attempt, answered('timeout'), minutes(181), random),
  'a redirect': attempt => attemptEndOf(attempt, answered('redirect', { httpStatus: 302 }), minutes(181), random),
  'a forbidden address': attempt => attemptEndOf(attempt, answered('forbidden_address'), minutes(181), random),
  'a lost attempt': attempt => attemptEndOf(attempt, withoutRequest('lost'), minutes(181), random),
}

describe('recording an attempt leaves its delivery in the state that the machine would choose', () => {
  const sending = Object.keys(deliveries.situations).filter(name =>
    /sending|canceling|second|third|fourth|fifth/.test(name),
  )
  for (const situation of sending)
    test(situation, async () => {
      for (const [name, endOfAttempt] of Object.entries(ends)) {
        const [ours, theirs] = [await placed(situation), await placed(situation)]
        const [row] = await sql<ActorRow[]>`select * from deliveries where id = ${ours.id}`
        const before = readActor(row ?? expect.unreachable())
        const end = endOfAttempt(Number(before.context.attempts))
        await sql`
          insert into delivery_attempts (delivery_id, number, trigger, worker, started_at)
          values (${ours.id}, ${Number(before.context.attempts)}, 'automatic', ${worker}, ${T0})`
        const { recorded, jobs } = decideEnd(before, end)
        expect(await record(recorded)).toEqual([])
        clock.set(minutes(181))
        const after = await carryOut(theirs.id, { event: end.event })
        expect([name, await stored(ours.id)]).toEqual([name, await stored(theirs.id)])
        expect(jobs.map(({ task }) => task)).toEqual(after.state === 'failed' ? ['disable-failing-endpoint'] : [])
        expect(await attemptsOf(ours.id)).toMatchObject([
          { outcome: end.outcome, http_status: end.httpStatus, response_snippet: end.responseSnippet },
        ])
      }
    })
})

/** Deliveries of one endpoint, one per second from T0. */
const dueOnes = async (count: number, state?: string) => {
  const endpointId = await addEndpoint(state)
  const rows = await sql<{ id: string }[]>`
    with made as (
      insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era)
      select gen_random_uuid(), 'payment', gen_random_uuid(), 1, 'payment.created', ${merchantId}, false, '2026-11-20',
        '{}', ${T0}::timestamptz + n * interval '1 s', current_era()
      from generate_series(0, ${count - 1}::integer) n
      returning *)
    insert into deliveries (
      id, state, rev, version, created_at, updated_at, merchant_id, livemode, event_id, event_type, endpoint_id,
      attempts, automatic_attempts, trigger, next_attempt_at, cancel_requested)
    select gen_random_uuid(), 'pending', 1, 1, created_at, created_at, merchant_id, livemode, id, type, ${endpointId},
      0, 0, 'automatic', created_at, false
    from made order by created_at
    returning id`
  return { endpointId, ids: rows.map(({ id }) => id) }
}
const idsOf = (claimed: readonly Claimed[]) => claimed.map(({ id }) => id)

describe('a claim', () => {
  test('takes the deliveries that are due the longest, up to the requested number', async () => {
    const { endpointId, ids } = await dueOnes(4)
    const at = minutes(60)
    expect(idsOf(await claim([endpointId], { at, want: 2 }))).toEqual(ids.slice(0, 2))
    expect(idsOf(await claim([endpointId], { at }))).toEqual(ids.slice(2))
  })

  test('takes nothing that is not due yet, and reads nothing before the given time', async () => {
    const { endpointId, ids } = await dueOnes(3)
    const at = new Date(T0.getTime() + 1_999)
    expect(idsOf(await claim([endpointId], { at, lowMs: T0.getTime() + 1 }))).toEqual([ids[1] ?? ''])
    expect(idsOf(await claim([endpointId], { at }))).toEqual([ids[0] ?? ''])
  })

  test('takes nothing of a disabled or deleted endpoint', async () => {
    const [disabled, deleted] = [await dueOnes(1, 'disabled'), await dueOnes(1, 'deleted')]
    expect(await claim([disabled.endpointId, deleted.endpointId], { at: minutes(1) })).toEqual([])
  })

  test('takes nothing that is leased or was written by another version of the machine', async () => {
    const { endpointId, ids } = await dueOnes(3)
    await sql`
      update deliveries set lease = ${crypto.randomUUID()}, leased_until = ${minutes(1)}::timestamptz + interval '1 s'
      where id = ${ids[0] ?? ''}`
    await sql`update deliveries set version = 2 where id = ${ids[1] ?? ''}`
    expect(idsOf(await claim([endpointId], { at: minutes(1) }))).toEqual(ids.slice(2))
    expect(idsOf(await claim([endpointId], { at: new Date(minutes(1).getTime() + 1_001) }))).toEqual(ids.slice(0, 1))
  })

  test('takes what another uncommitted claim leaves', async () => {
    const { endpointId, ids } = await dueOnes(4)
    const other = connect(db.url, { max: 1 })
    await other`begin`
    const theirs = await claim([endpointId], { at: minutes(1), want: 2 }, other)
    const ours = await claim([endpointId], { at: minutes(1), want: 3 })
    await other`commit`
    await other.end()
    expect([...idsOf(theirs), ...idsOf(ours)]).toEqual(ids)
    expect(await claim([endpointId], { at: minutes(1) })).toEqual([])
  })

  test('whose response was lost can be read once more for a while', async () => {
    const { endpointId } = await dueOnes(2)
    const id = crypto.randomUUID()
    const claimed = await claim([endpointId], { at: minutes(1), id })
    const again = await findClaimed(sql, id)
    const withoutTimes = (each: Claimed) => ({ ...each, dueAt: null, moved: null })
    const byId = (a: Claimed, b: Claimed) => (a.id < b.id ? -1 : 1)
    expect(again.toSorted(byId).map(withoutTimes)).toEqual(claimed.toSorted(byId).map(withoutTimes))
    for (const each of claimed)
      await record(
        decideEnd(claimedActor(each, minutes(1)), attemptEndOf(1, answered('delivered'), minutes(1), random)).recorded,
      )
    expect(await findClaimed(sql, id)).toEqual([])
  })

  test('returns an event with exactly the text that was stored', async () => {
    const { endpointId } = await placed('new')
    const [claimed] = await claim([endpointId])
    expect(claimed?.object).toBe('{"b": 1,  "a":"\\u00e9"}')
    expect(bodyOf(claimed ?? expect.unreachable())).toBe(
      `{"id":"${eventId}","type":"payment.created","created":${T0.getTime() / 1_000},"livemode":false,` +
        `"api_version":"2026-11-20","data":{"object":{"b": 1,  "a":"\\u00e9"}}}`,
    )
  })
})

describe('the outcome of an attempt', () => {
  const inFlight = async () => {
    const { endpointId, ids } = await dueOnes(1)
    const [claimed] = await claim([endpointId], { at: minutes(1) })
    return { id: ids[0] ?? '', actor: claimedActor(claimed ?? expect.unreachable(), minutes(1)) }
  }

  test('is recorded once: a late one is refused because the delivery has moved on', async () => {
    const { id, actor } = await inFlight()
    expect(
      await record(decideEnd(actor, attemptEndOf(1, withoutRequest('lost'), minutes(2), random)).recorded),
    ).toEqual([])
    const late = decideEnd(actor, attemptEndOf(1, answered('delivered', { httpStatus: 200 }), minutes(3), random))
    expect(await record(late.recorded)).toEqual([id])
    expect(await stored(id)).toMatchObject({ row: { state: 'pending', rev: 3, delivered_at: null } })
    expect(await attemptsOf(id)).toMatchObject([{ outcome: 'lost', http_status: null }])
  })

  test('of a delivery to be canceled is recorded, and the delivery decides what follows', async () => {
    const { id, actor } = await inFlight()
    await carryOut(id, { event: { type: 'cancel' } })
    const end = attemptEndOf(1, answered('http_error', { httpStatus: 500 }), minutes(2), random)
    expect(await record(decideEnd(actor, end).recorded)).toEqual([id])
    expect(await stored(id)).toMatchObject({ row: { state: 'sending', cancel_requested: true } })
    expect(await attemptsOf(id)).toMatchObject([{ outcome: 'http_error', http_status: 500 }])
    expect(await carryOut(id, { event: end.event })).toMatchObject({ state: 'canceled' })
  })

  test('ends its claim, unless a delivery has moved on', async () => {
    const [one, moved] = [await inFlight(), await inFlight()]
    const claims = async (id: string) =>
      (await sql<{ id: string }[]>`select id from delivery_claims where ${id} = any(deliveries)`).map(row => row.id)
    await carryOut(moved.id, { event: { type: 'cancel' } })
    for (const { id, actor } of [one, moved]) {
      const end = attemptEndOf(1, answered('delivered', { httpStatus: 200 }), minutes(2), random)
      const finished = await claims(id)
      await recordAttempts(sql, {
        ...nothing,
        command: crypto.randomUUID(),
        recorded: [decideEnd(actor, end).recorded],
        finished,
      })
    }
    expect([await claims(one.id), await claims(moved.id)]).toEqual([[], [expect.any(String)]])
  })
})

const claimOnce = (sql: Sql, endpointId: string, at: Date, records: Records) =>
  takeStep(sql, records, { id: crypto.randomUUID(), worker, at, endpoints: [{ endpointId, want: 50, lowMs: 0 }] })

test('without statistics, a claim does not scan the due deliveries of other endpoints', async () => {
  await dueOnes(300)
  const { endpointId } = await dueOnes(50)
  await sql`delete from pg_statistic where starelid = 'deliveries'::regclass`
  const plans = await plansOf(db.url, async sql => {
    const records = { ...nothing, command: crypto.randomUUID() }
    expect((await claimOnce(sql, endpointId, minutes(5), records)).claimed).toHaveLength(50)
  })
  expect(waysTo('deliveries', plans)).toEqual(['deliveries_due', 'deliveries_pkey'])
  const looks = [
    ['deliveries_feed', (sql: Sql) => findDueBetween(sql, T0, minutes(60))],
    ['deliveries_due', (sql: Sql) => findDueEndpoints(sql, minutes(60))],
  ] as const
  for (const [index, look] of looks) {
    const plans = await plansOf(db.url, async sql => void (await look(sql)))
    expect(waysTo('deliveries', plans)).toEqual([index])
  }
})

test('every row is found by its key or by the index of due deliveries, in a table of any size', async () => {
  const { endpointId } = await dueOnes(300)
  await sql`analyze`
  const plans = await plansOf(db.url, async sql => {
    let recorded: Records['recorded'] = []
    for (let round = 0; round < 3; round++) {
      const at = minutes(10 + round)
      const records = { ...nothing, command: crypto.randomUUID(), recorded }
      const { claimed } = await claimOnce(sql, endpointId, at, records)
      expect(claimed).toHaveLength(50)
      recorded = claimed.map(
        each => decideEnd(claimedActor(each, at), attemptEndOf(1, answered('delivered'), at, random)).recorded,
      )
    }
    await findDueBetween(sql, T0, minutes(60))
    await findDueEndpoints(sql, minutes(60))
    await findLostDeliveries(sql, minutes(60), 10)
    await endClaims(sql, minutes(60))
  })
  expect(waysTo('deliveries', plans)).toEqual(['deliveries_due', 'deliveries_feed', 'deliveries_pkey'])
  expect(waysTo('delivery_attempts', plans)).toEqual(['Tid ', 'delivery_attempts_pkey'])
  // With all columns of its key; otherwise recording would compare every attempt with every outcome.
  const lookUps = plans.matchAll(/on delivery_attempts t_1 .*\n +(.*)/g)
  expect([...new Set([...lookUps].map(([, how]) => how))]).toEqual([
    'Index Cond: ((delivery_id = o.id) AND (number = o.number))',
  ])
  expect(plans).not.toMatch(/Hash Join|Merge Join|Bitmap/)
})
