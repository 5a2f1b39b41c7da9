import { describe, expect, test } from 'bun:test'
import { openTimers } from '../../src/actors/timers.ts'
import { audit } from '../../src/audit/audit.ts'
import { advanceTestClock } from '../../src/commands/test-clocks.ts'
import { customerRoutes } from '../../src/http/customers.ts'
import { invoiceActionRoutes } from '../../src/http/invoice-actions.ts'
import { invoiceRoutes } from '../../src/http/invoices.ts'
import { testClockRoutes } from '../../src/http/test-clocks.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import { findStuck } from '../../src/queries/ops/stuck.ts'
import { runTestClocks } from '../../src/server/test-clocks.ts'
import { insertKey } from '../access/keys.ts'
import { until } from '../harness/until.ts'
import { makeCustomer } from './customers.ts'
import { makeInvoice } from './invoices.ts'
import { expectPages } from './lists.ts'
import { makeClockInvoice, makeTestClock } from './test-clocks.ts'
import { newKey, twoShops } from './two-shops.ts'

const DAY = 86_400_000
const { ask, page, server, lamps, key, liveKey, chairsKey } = await twoShops({
  routes: [...testClockRoutes, ...customerRoutes, ...invoiceActionRoutes, ...invoiceRoutes],
})
const { api, sql } = server
const owner = { merchantId: lamps.merchantId, livemode: false }
const runner = () => runTestClocks(api, { share: () => ({ position: 0, count: 1 }) })
// The latest 1 November.
const year = new Date(Date.now() - 304 * DAY).getUTCFullYear()
const start = new Date(Date.UTC(year, 10, 1))
const after = (days: number) => new Date(start.getTime() + days * DAY).toISOString()

type Shown = { readonly id: string; readonly now: string; readonly status: string }

const create = async (json: object = { now: start.toISOString() }) => {
  const made = await ask('POST', '/sandbox/test-clocks', { json })
  expect(made.status).toBe(201)
  return made.json as Shown
}
const look = async (id: string) => (await ask('GET', `/sandbox/test-clocks/${id}`)).json as Shown

/** Advances the clock and waits until it has arrived. */
const advance = async (id: string, to: string) => {
  const answer = await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json: { to } })
  expect(answer).toMatchObject({ status: 200, json: { id, status: 'advancing' } })
  const run = runner()
  await until(async () => {
    await run.runOnce()
    return (await look(id)).status === 'ready'
  })
  expect(await look(id)).toMatchObject({ now: to })
}

const clockUuid = (id: string) => decodeId('clk', id) ?? ''
const typesOf = async (ids: readonly string[]) => {
  const rows = await sql<{ type: string; offset: number | null; actor: string }[]>`
    select type, (json_of(object) -> 'reminder' ->> 'offsetDays')::integer as offset, actor from events
    where actor = any(${ids}::uuid[]) order by seq`
  return rows.map(({ type, offset, actor }) => [ids.indexOf(actor), offset === null ? type : `${type} ${offset}`])
}

describe('a clock', () => {
  test('201: it shows the present, or another time within a year', async () => {
    const before = Date.now()
    const { now, ...made } = await create({})
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before - 1_000)
    expect(made).toMatchObject({ object: 'test_clock', status: 'ready', livemode: false })
    expect(made.id).toMatch(/^clk_[0-9a-z]{26}$/)
    expect(Object.keys(made).sort()).toEqual(['createdAt', 'id', 'livemode', 'object', 'status', 'updatedAt'])
    expect(await create()).toMatchObject({ now: start.toISOString() })
  })

  test('a request that is repeated with its key creates one clock, and advances it once', async () => {
    const asked = { json: { now: start.toISOString() }, headers: newKey() }
    const [first, second] = [
      await ask('POST', '/sandbox/test-clocks', asked),
      await ask('POST', '/sandbox/test-clocks', asked),
    ]
    const { id } = first.json as Shown
    expect(second.json).toEqual(first.json)
    const moved = { json: { to: after(1) }, headers: newKey() }
    const [one, two] = [
      await ask('POST', `/sandbox/test-clocks/${id}/advance`, moved),
      await ask('POST', `/sandbox/test-clocks/${id}/advance`, moved),
    ]
    expect([one.status, two.status]).toEqual([200, 200])
    expect(two.json).toEqual(one.json)
  })

  test('clocks are listed in pages, without deleted ones', async () => {
    const asked = { bearer: chairsKey }
    const ids: string[] = []
    for (let at = 0; at < 5; at++) {
      const { json } = await ask('POST', '/sandbox/test-clocks', { ...asked, json: {} })
      ids.push((json as Shown).id)
    }
    await expectPages(query => page(`/sandbox/test-clocks${query}`, asked), ids)
    expect((await ask('DELETE', `/sandbox/test-clocks/${ids[0]}`, asked)).status).toBe(204)
    const { data } = await page<Shown>('/sandbox/test-clocks', asked)
    expect(data.map(({ id }) => id)).toEqual(ids.slice(1).reverse())
  })

  test('404: a clock of another merchant, one that was deleted, and a malformed ID', async () => {
    const { id } = await create()
    const { id: deleted } = await create()
    expect((await ask('DELETE', `/sandbox/test-clocks/${deleted}`)).status).toBe(204)
    const missing = { status: 404, error: { code: 'resource_not_found' } }
    for (const [at, bearer] of [
      [id, chairsKey],
      [deleted, key],
      ['clk_1', key],
    ] as const) {
      expect(await ask('GET', `/sandbox/test-clocks/${at}`, { bearer })).toMatchObject(missing)
      expect(await ask('DELETE', `/sandbox/test-clocks/${at}`, { bearer })).toMatchObject(missing)
      const json = { to: after(1) }
      expect(await ask('POST', `/sandbox/test-clocks/${at}/advance`, { bearer, json })).toMatchObject(missing)
    }
  })

  test('403: a live key, and a key without all permissions', async () => {
    const scopes = ['billing:read', 'billing:write']
    const { secret } = await insertKey(sql, { merchantId: lamps.merchantId, scopes })
    for (const [method, path] of [
      ['POST', ''],
      ['GET', ''],
      ['GET', '/clk_1'],
      ['DELETE', '/clk_1'],
      ['POST', '/clk_1/advance'],
    ]) {
      const asked = { ...(method === 'POST' && { json: {} }) }
      const at = `/sandbox/test-clocks${path}`
      expect(await ask(method ?? '', at, { ...asked, bearer: liveKey })).toMatchObject({
        status: 403,
        error: { code: 'sandbox_only' },
      })
      expect(await ask(method ?? '', at, { ...asked, bearer: secret })).toMatchObject({
        status: 403,
        error: { code: 'insufficient_scope' },
      })
    }
  })

  const years = (count: number, ms = 0) => {
    const at = new Date()
    at.setUTCFullYear(at.getUTCFullYear() + count)
    return new Date(at.getTime() + ms).toISOString()
  }
  test.each([
    [{ now: 'yesterday' }, 'parameter_invalid', 'now'],
    [{ now: null }, 'parameter_invalid', 'now'],
    [{ now: 1_798_761_600 }, 'parameter_invalid', 'now'],
    [{ now: { at: 1 } }, 'parameter_invalid', 'now'],
    [{ now: '2026-02-30T00:00:00.000Z' }, 'parameter_invalid', 'now'],
    [{ now: years(1, 60_000) }, 'parameter_invalid', 'now'],
    [{ now: years(-1, -60_000) }, 'parameter_invalid', 'now'],
    [{ at: `${year}-11-01T00:00:00.000Z` }, 'parameter_unknown', 'at'],
  ])('400: %j', async (json, code, param) => {
    expect(await ask('POST', '/sandbox/test-clocks', { json })).toMatchObject({ status: 400, error: { code, param } })
  })

  test.each([
    [{}, 'parameter_missing', 'to'],
    [{ to: 'tomorrow' }, 'parameter_invalid', 'to'],
    [{ to: null }, 'parameter_invalid', 'to'],
    [{ to: 1_798_761_600 }, 'parameter_invalid', 'to'],
    [{ to: `${year + 1}-02-30T00:00:00.000Z` }, 'parameter_invalid', 'to'],
    [{ to: `${year + 1}-02-01` }, 'parameter_invalid', 'to'],
    [{ to: start.toISOString() }, 'parameter_invalid', 'to'],
    [{ to: after(-1) }, 'parameter_invalid', 'to'],
    [{ to: `${year + 2}-11-01T00:00:00.001Z` }, 'parameter_invalid', 'to'],
    [{ to: after(1), now: after(1) }, 'parameter_unknown', 'now'],
  ])('400: to advance by %j', async (json, code, param) => {
    const { id } = await create()
    const refused = await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json })
    expect(refused).toMatchObject({ status: 400, error: { code, param } })
  })

  test('409: to advance a clock that is advancing; two years later is possible', async () => {
    const { id } = await create()
    const json = { to: `${year + 2}-11-01T00:00:00.000Z` }
    const both = await Promise.all([0, 1].map(() => ask('POST', `/sandbox/test-clocks/${id}/advance`, { json })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)?.error).toMatchObject({
      ...{ code: 'state_conflict', details: { status: 'advancing', possible: ['delete'] } },
    })
    for (const to of [after(-1), `${year + 5}-11-01T00:00:00.000Z`])
      expect(await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json: { to } })).toMatchObject({ status: 409 })
  })
})

test('400: to advance by more than two years, also if the clock was advancing when it was read', async () => {
  const { id } = await create()
  await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json: { to: after(1) } })
  const dispatchBundle: typeof api.actors.dispatchBundle = async commands => {
    await runner().runOnce()
    expect(await look(id)).toMatchObject({ status: 'ready', now: after(1) })
    return api.actors.dispatchBundle(commands)
  }
  const late = { ...api, actors: { ...api.actors, dispatchBundle } }
  const to = new Date(Date.UTC(year + 2, 10, 2, 0, 0, 0, 1))
  const requester = { cause: 'test', responseRows: () => [] }
  await expect(advanceTestClock(late, { ...owner, id: clockUuid(id) }, to, requester)).rejects.toMatchObject({
    ...{ code: 'parameter_invalid', because: { param: 'to' } },
  })
  expect(await look(id)).toMatchObject({ status: 'ready', now: after(1) })
})

describe('customers', () => {
  test('belong to a clock from their creation, and PATCH does not take it', async () => {
    const { id: testClockId } = await create()
    const json = { email: `${crypto.randomUUID()}@example.com`, testClockId }
    const made = await ask('POST', '/customers', { json })
    expect(made).toMatchObject({ status: 201, json: { testClockId } })
    const { id } = made.json as Shown
    expect(await ask('GET', `/customers/${id}`)).toMatchObject({ json: { testClockId } })
    const patched = await ask('PATCH', `/customers/${id}`, { json: { testClockId: null } })
    expect(patched).toMatchObject({ status: 400, error: { code: 'parameter_unknown', param: 'testClockId' } })
    const again = await ask('POST', '/customers', { json: { ...json, testClockId: (await create()).id } })
    expect(again).toMatchObject({ status: 409, error: { code: 'duplicate_customer', details: { customerId: id } } })
  })

  test('404: a clock of another merchant, in live mode, and one that was deleted', async () => {
    const { id } = await create()
    const { id: deleted } = await create()
    await ask('DELETE', `/sandbox/test-clocks/${deleted}`)
    for (const [testClockId, bearer] of [
      [id, chairsKey],
      [id, liveKey],
      [deleted, key],
      ['clk_1', key],
    ] as const) {
      const json = { email: `${crypto.randomUUID()}@example.com`, testClockId }
      const refused = await ask('POST', '/customers', { json, bearer })
      expect(refused).toMatchObject({ status: 404, error: { code: 'resource_not_found', param: 'testClockId' } })
    }
  })

  test('409: an invoice that names another clock than that of its customer', async () => {
    const { id: testClockId } = await create()
    const invoice = { currency: 'EUR', lines: [{ description: 'A lamp', unitAmountMinor: 4_900 }] }
    const customer = { email: `${crypto.randomUUID()}@example.com` }
    const made = await ask('POST', '/invoices', { json: { ...invoice, customer, testClockId } })
    expect(made).toMatchObject({ status: 201, json: { createdAt: start.toISOString() } })
    const { customerId } = made.json as { customerId: string }
    expect(await ask('GET', `/customers/${customerId}`)).toMatchObject({ json: { testClockId } })
    for (const json of [
      { ...invoice, customer, testClockId: null },
      { ...invoice, customerId, testClockId: (await create()).id },
      { ...invoice, customerId: (await makeCustomer(api, owner)).id, testClockId },
    ])
      expect(await ask('POST', '/invoices', { json })).toMatchObject({
        ...{ status: 409, error: { code: 'state_conflict', param: 'testClockId', details: { status: 'active' } } },
      })
    const draft = (await makeInvoice(api, owner)).id
    expect(await ask('PATCH', `/invoices/${draft}`, { json: { customerId } })).toMatchObject({
      ...{ status: 409, error: { code: 'state_conflict', param: 'customerId' } },
    })
    // A customer that is created for a draft gets the clock of the draft.
    const { id } = made.json as { id: string }
    const email = `${crypto.randomUUID()}@example.com`
    const changed = await ask('PATCH', `/invoices/${id}`, { json: { customer: { email } } })
    expect(changed.status).toBe(200)
    const its = changed.json as { customerId: string }
    expect(await ask('GET', `/customers/${its.customerId}`)).toMatchObject({ json: { email, testClockId } })
  })

  test('409: to merge customers of different clocks', async () => {
    const clock = await makeTestClock(api, owner)
    const [one, same, other] = [
      await makeCustomer(api, owner, { testClockId: clock.id }),
      await makeCustomer(api, owner, { testClockId: clock.id }),
      await makeCustomer(api, owner),
    ]
    const { mergeCustomer } = await import('../../src/commands/customer-merges.ts')
    const merge = (into: string) => mergeCustomer(api, { ...owner, id: one.customer.id }, into, 'test')
    await expect(merge(other.customer.id)).rejects.toMatchObject({
      ...{ code: 'state_conflict', because: { param: 'intoId', details: { status: 'active' } } },
    })
    expect((await merge(same.customer.id)).customer.id).toBe(same.customer.id)
  })
})

test('a commit locks the clocks that it was decided with for itself alone', async () => {
  const { id } = await create()
  const seen = sql`array[row(1, ${clockUuid(id)}, ${start.getTime()})::clock_entry]`
  const other = connect(server.databaseUrl, { max: 1 })
  try {
    await sql.begin(async tx => {
      // Two commits that had it in shared mode would wait for each other when both then change it.
      expect(Array.from(await tx`select find_moved_clocks(${seen}) as moved`)).toEqual([{ moved: [] }])
      await other`set lock_timeout = '50ms'`
      const error =
        await other`select find_moved_clocks(array[row(1, ${clockUuid(id)}, ${start.getTime()})::clock_entry])`.catch(
          caught => caught,
        )
      expect(error).toMatchObject({ code: '55P03' })
    })
    const moved = await other`select find_moved_clocks(array[row(1, ${clockUuid(id)}, 0)::clock_entry]) as moved`
    expect(Array.from(moved)).toEqual([{ moved: [1] }])
  } finally {
    await other.end()
  }
})

describe('invoices of a clock', () => {
  test('have its time and a series of their own, and the events come in the order of their times', async () => {
    const { id } = await create()
    const suffix = id.slice(-6)
    const live = await makeInvoice(api, owner, { daysUntilDue: 1, reminders: [], finalize: true })
    const first = await makeClockInvoice(api, owner, clockUuid(id), { daysUntilDue: 10, reminders: [-3, 0, 7] })
    const second = await makeClockInvoice(api, owner, clockUuid(id), { daysUntilDue: 11, reminders: [-3, 0] })
    expect([first, second].map(({ invoice }) => invoice.context.number)).toEqual([
      ...[`TEST-${suffix}-INV-${year}-0001`, `TEST-${suffix}-INV-${year}-0002`],
    ])
    expect(live.invoice.context.number).toMatch(/^TEST-INV-/)
    expect(await ask('GET', `/invoices/${first.id}`)).toMatchObject({
      json: {
        ...{ issuedAt: start.toISOString(), issueDate: `${year}-11-01`, dueDate: `${year}-11-11` },
        ...{ createdAt: start.toISOString(), updatedAt: start.toISOString(), overdue: false },
      },
    })
    await openTimers(api, api.actors).fireDue()
    const ids = [first.invoice.id, second.invoice.id]
    expect(await typesOf(ids)).toHaveLength(4)

    await advance(id, after(12))
    expect((await typesOf(ids)).slice(4)).toEqual([
      [0, 'invoice.reminder -3'],
      [1, 'invoice.reminder -3'],
      [0, 'invoice.reminder 0'],
      [0, 'invoice.overdue'],
      [1, 'invoice.reminder 0'],
      [1, 'invoice.overdue'],
    ])
    expect(await ask('GET', `/invoices/${first.id}`)).toMatchObject({
      json: {
        ...{ overdue: true, updatedAt: `${year}-11-11T23:59:59.999Z` },
        reminders: [
          { offsetDays: -3, sentAt: `${year}-11-08T09:00:00.000Z` },
          { offsetDays: 0, sentAt: `${year}-11-11T09:00:00.000Z` },
          { offsetDays: 7, sentAt: null },
        ],
      },
    })
    expect(await typesOf([live.invoice.id])).toHaveLength(2)

    await advance(id, `${year + 1}-01-02T00:00:00.000Z`)
    const next = await makeClockInvoice(api, owner, clockUuid(id))
    expect(next.invoice.context.number).toBe(`TEST-${suffix}-INV-${year + 1}-0001`)
    const voided = await ask('POST', `/invoices/${next.id}/void`, { json: {} })
    expect(voided).toMatchObject({ status: 200, json: { status: 'void', voidedAt: `${year + 1}-01-02T00:00:00.000Z` } })
    const [note] =
      await sql`select number, issued_at, created_at from credit_notes where invoice_id = ${next.invoice.id}`
    const at = new Date(`${year + 1}-01-02T00:00:00.000Z`)
    expect(note).toEqual({ number: `TEST-${suffix}-CN-${year + 1}-0001`, issued_at: at, created_at: at })
    const { data } = await page<{ number: string }>('/invoices/chain?kind=invoice&limit=100')
    expect(data.some(({ number }) => number.includes(suffix))).toBe(false)
  })

  test('that are due at several times before that of a clock that stands are applied in the order of their times', async () => {
    const { id } = await create()
    const made = []
    for (const daysUntilDue of [3, 1, 2])
      made.push(await makeClockInvoice(api, owner, clockUuid(id), { daysUntilDue, reminders: [] }))
    await sql`update test_clocks set now = ${after(10)} where id = ${clockUuid(id)}`
    await runner().runOnce()
    const types = await typesOf(made.map(({ invoice }) => invoice.id))
    expect(types.slice(6)).toEqual([1, 2, 0].map(n => [n, 'invoice.overdue']))
    expect(await look(id)).toMatchObject({ status: 'ready', now: after(10) })
  })

  test('wait while many timers in real time are late, but not for a single one that fails', async () => {
    const { id } = await create()
    await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json: { to: after(1) } })
    const actor = crypto.randomUUID()
    await sql`
      insert into timers (actor, name, kind, generation, due_at)
      select ${actor}, n, 'invoice', 1, now() - interval '1 min' from generate_series(1, 251) n`
    await runner().runOnce()
    expect(await look(id)).toMatchObject({ status: 'advancing', now: start.toISOString() })
    await sql`delete from timers where actor = ${actor} and name <> '1'`
    await runner().runOnce()
    expect(await look(id)).toMatchObject({ status: 'ready', now: after(1) })
    await sql`delete from timers where actor = ${actor}`
  })

  test('have timers that the clock does not skip, also if their commit is under way when it moves', async () => {
    const { id } = await create()
    await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json: { to: after(30) } })
    const committing = connect(server.databaseUrl, { max: 1 })
    await committing`begin`
    await committing`select from test_clocks where id = ${clockUuid(id)} for share`
    const actor = crypto.randomUUID()
    await committing`
      insert into timers (actor, name, kind, generation, due_at, test_clock_id)
      values (${actor}, 'due', 'invoice', 1, ${after(2)}, ${clockUuid(id)})`
    const moved = sql`select move_test_clock(${clockUuid(id)}) as outcome`.execute()
    await until(async () => (await committing`select from pg_locks where not granted`).length > 0)
    await committing`commit`
    await committing.end()
    expect((await moved)[0]).toEqual({ outcome: 'moved' })
    expect(await look(id)).toMatchObject({ status: 'advancing', now: after(2) })
    await sql`delete from timers where actor = ${actor}`
    expect((await ask('DELETE', `/sandbox/test-clocks/${id}`)).status).toBe(204)
  })

  test('a requested reminder is possible again after an hour of the clock', async () => {
    const { id } = await create()
    const invoice = await makeClockInvoice(api, owner, clockUuid(id), { daysUntilDue: 30, reminders: [] })
    const remind = () => ask('POST', `/invoices/${invoice.id}/remind`, { json: {} })
    expect(await remind()).toMatchObject({ status: 200 })
    expect(await remind()).toMatchObject({ status: 429 })
    await advance(id, new Date(start.getTime() + 3_600_000).toISOString())
    expect(await remind()).toMatchObject({ status: 200 })
  })

  test('a payment that is processing holds the clock, and nothing else does', async () => {
    const { id } = await create()
    const waiting = await makeClockInvoice(api, owner, clockUuid(id), { daysUntilDue: 1, reminders: [] })
    const other = await makeClockInvoice(api, owner, clockUuid(id), { daysUntilDue: 2, reminders: [] })
    await api.actors.dispatch({
      ...{ kind: 'invoice', actor: waiting.invoice.id, cause: 'test' },
      event: { type: 'payment_processing', amountMinor: 4_900 },
    })
    await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json: { to: after(30) } })
    expect(await runner().runOnce()).toBeGreaterThanOrEqual(1)
    expect(await look(id)).toMatchObject({ status: 'advancing', now: `${year}-11-02T23:59:59.999Z` })
    expect(await ask('GET', `/invoices/${other.id}`)).toMatchObject({ json: { overdue: false } })
    await api.actors.dispatch({
      ...{ kind: 'invoice', actor: waiting.invoice.id, cause: 'test' },
      event: { type: 'payment_reverted', amountMinor: 4_900 },
    })
    await runner().runOnce()
    expect(await look(id)).toMatchObject({ status: 'ready', now: after(30) })
    expect((await typesOf([waiting.invoice.id, other.invoice.id])).slice(4)).toEqual([
      ...[
        [0, 'invoice.overdue'],
        [1, 'invoice.overdue'],
      ],
    ])
  })

  test('a timer that fails holds the clock, is tried again and is found by the audit', async () => {
    const { id } = await create()
    const { invoice } = await makeClockInvoice(api, owner, clockUuid(id), { daysUntilDue: 1, reminders: [] })
    await sql.unsafe(`
      create function refuse_poison() returns trigger language plpgsql as $$ begin raise exception 'poison'; end $$;
      create trigger poison before update on invoices for each row when (old.id = '${invoice.id}')
      execute function refuse_poison()`)
    await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json: { to: after(30) } })
    await runner().runOnce()
    expect(await look(id)).toMatchObject({ status: 'advancing', now: `${year}-11-02T23:59:59.999Z` })
    const alone = connect(server.databaseUrl, { max: 1 })
    await alone`begin`
    await alone`update test_clocks set updated_at = now() - interval '2 min' where id = ${clockUuid(id)}`
    const standing = 'a timer that is due by its test clock, which has not moved for more than a minute'
    const find = async () => (await audit(alone, kinds)).map(({ what }) => what)
    expect(await find()).not.toContain(standing)
    await alone`update transitions set at = at - interval '2 min' where actor = ${invoice.id}`
    const found = await find()
    await alone`rollback`
    await alone.end()
    expect(found).toContain(standing)
    await sql.unsafe('drop trigger poison on invoices')
    await sql`update timers set failures = 3, retry_at = now() + interval '1 h' where actor = ${invoice.id}`
    const stuck = await findStuck(sql, kinds, { driven: {}, limit: 10 })
    expect(stuck).toMatchObject([{ kind: 'invoice', id: invoice.id, state: 'open', reason: 'timer_failing' }])
    // It is not tried again before its time.
    await runner().runOnce()
    expect(await look(id)).toMatchObject({ status: 'advancing', now: `${year}-11-02T23:59:59.999Z` })
    await sql`update timers set retry_at = now() where actor = ${invoice.id}`
    await until(async () => {
      await runner().runOnce()
      return (await look(id)).status === 'ready'
    })
    expect((await typesOf([invoice.id])).slice(2)).toEqual([[0, 'invoice.overdue']])
  }, 30_000)

  test('many invoices with one due time, advanced by two processes, have each event once', async () => {
    const { id } = await create()
    const made = await Promise.all(
      Array.from({ length: 100 }, () =>
        makeClockInvoice(api, owner, clockUuid(id), { daysUntilDue: 3, reminders: [0, 1] }),
      ),
    )
    await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json: { to: after(30) } })
    const [one, two] = [runner(), runner()]
    await until(async () => {
      await Promise.all([one.runOnce(), two.runOnce()])
      return (await look(id)).status === 'ready'
    })
    const ids = made.map(({ invoice }) => invoice.id)
    const types = (await typesOf(ids)).map(([at, type]) => `${at} ${type}`)
    expect(new Set(types).size).toBe(types.length)
    expect(types).toHaveLength(100 * 5)
    const order = types.map(type => type.replace(/^\d+ /, '')).slice(200)
    expect(order).toEqual([
      ...Array(100).fill('invoice.reminder 0'),
      ...Array(100).fill('invoice.overdue'),
      ...Array(100).fill('invoice.reminder 1'),
    ])
  }, 30_000)

  test('a clock that always has more to do does not hold up the others', async () => {
    const [busy, other] = [await create(), await create()]
    for (const { id } of [busy, other])
      await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json: { to: after(1) } })
    const passes = [async (_: unknown, id: string) => (id === clockUuid(busy.id) ? 1 : 0)]
    await runTestClocks(api, { share: () => ({ position: 0, count: 1 }), passes }).runOnce()
    expect(await look(busy.id)).toMatchObject({ status: 'advancing', now: start.toISOString() })
    expect(await look(other.id)).toMatchObject({ status: 'ready', now: after(1) })
    expect((await ask('DELETE', `/sandbox/test-clocks/${busy.id}`)).status).toBe(204)
  })

  test('nothing is applied by a clock that is deleted while a worker advances it', async () => {
    const { id } = await create()
    const { invoice } = await makeClockInvoice(api, owner, clockUuid(id), { daysUntilDue: 1, reminders: [] })
    await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json: { to: after(30) } })
    await sql`update test_clocks set now = ${after(10)} where id = ${clockUuid(id)}`
    const armed = () => sql`select name, generation from timers where actor = ${invoice.id} order by name`
    const before = await armed()
    expect(before).not.toHaveLength(0)
    let passes = 0
    const share = () => ({ position: 0, count: 1 })
    const remove = async () => {
      if (passes++ > 0) return 0
      await sql`update timers set retry_at = null where actor = ${invoice.id}`
      expect((await ask('DELETE', `/sandbox/test-clocks/${id}`)).status).toBe(204)
      return 1
    }
    await sql`update timers set retry_at = now() + interval '1 h' where actor = ${invoice.id}`
    await runTestClocks(api, { share, passes: [remove] }).runOnce()
    expect(passes).toBe(2)
    expect(await armed()).toEqual(before)
    expect(await typesOf([invoice.id])).toHaveLength(2)
  })

  test('of two requests at the same time to delete a clock, one deletes it', async () => {
    const { id } = await create()
    const both = await Promise.all([0, 1].map(() => ask('DELETE', `/sandbox/test-clocks/${id}`)))
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404])
    const rows = await sql`select event from transitions where actor = ${clockUuid(id)} order by rev`
    expect(rows.map(({ event }) => event)).toEqual(['create', 'delete'])
  })

  test('a clock that was deleted stands still, and its invoices can still be changed', async () => {
    const { id } = await create()
    const { id: invoiceId } = await makeClockInvoice(api, owner, clockUuid(id), { daysUntilDue: 1, reminders: [] })
    expect((await ask('DELETE', `/sandbox/test-clocks/${id}`)).status).toBe(204)
    await runner().runOnce()
    const [clock] = await sql`select state, now, target from test_clocks where id = ${clockUuid(id)}`
    expect(clock).toEqual({ state: 'deleted', now: start, target: null })
    const voided = await ask('POST', `/invoices/${invoiceId}/void`, { json: {} })
    expect(voided).toMatchObject({ status: 200, json: { status: 'void', voidedAt: start.toISOString() } })
  })

  test('an advance that the clock is deleted in stops', async () => {
    const { id } = await create()
    const { invoice } = await makeClockInvoice(api, owner, clockUuid(id), { daysUntilDue: 1, reminders: [] })
    await ask('POST', `/sandbox/test-clocks/${id}/advance`, { json: { to: after(30) } })
    expect((await ask('DELETE', `/sandbox/test-clocks/${id}`)).status).toBe(204)
    await runner().runOnce()
    expect(await typesOf([invoice.id])).toHaveLength(2)
    expect(await ask('GET', `/invoices/${encodeId('inv', invoice.id)}`)).toMatchObject({ json: { status: 'open' } })
  })
})
