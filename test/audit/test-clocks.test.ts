import { afterAll, beforeAll, expect, test } from 'bun:test'
import { voidInvoice } from '../../src/commands/credit-notes.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { makeCustomer } from '../http/customers.ts'
import { makeInvoice } from '../http/invoices.ts'
import { shop } from '../http/people.ts'
import { makeClockInvoice, makeTestClock } from '../http/test-clocks.ts'
import { findingsAfter } from './planted.ts'

let server: ApiServer
afterAll(() => server?.[Symbol.asyncDispose]())

/** Two invoices in real time and two of each of two clocks, and a credit note of each. */
beforeAll(async () => {
  server = await apiServer({ routes: [] })
  const { api, sql } = server
  const owner = { merchantId: (await shop(api)).merchantId, livemode: false }
  await shop(api)
  const clocks = [await makeTestClock(api, owner), await makeTestClock(api, owner)]
  const make = (id: string | undefined) =>
    id === undefined ? makeInvoice(api, owner, { finalize: true }) : makeClockInvoice(api, owner, id)
  for (const id of [undefined, ...clocks.map(clock => clock.id)]) {
    await make(id)
    const { invoice } = await make(id)
    await voidInvoice(api, { ...owner, id: invoice.id }, null, { cause: 'test', responseRows: () => [] })
  }
  await makeCustomer(api, owner)
  expect(await sql`select from document_series`).toHaveLength(6)
})

const findAfter = (change: string) => findingsAfter(server.databaseUrl, change)

test('records of clocks and of real time have no findings', async () => {
  expect(await findAfter('select 1')).toEqual([])
})

const CLOCK = 'a record whose test clock is not that of its customer, or that does not exist'
const SERIES =
  'a series of document numbers with a gap, a document twice, or a document that is older than the one before it'
const ofClock = 'test_clock_id is not null'
const inRealTime = 'test_clock_id is null'
/** A clock that the record does not have. */
const another = (table: string) =>
  `(select id from test_clocks c where c.id is distinct from ${table}.test_clock_id order by id limit 1)`
const firstOf = (table: string, where: string) => `(select id from ${table} where ${where} order by id limit 1)`
const seriesOf = (kind: string, where: string) => firstOf('document_series', `document_kind = '${kind}' and ${where}`)
/** A customer and its records, but not the series of their numbers. */
const moveAll = (customer: string, to: string) => `
  create temporary table moved on commit drop as select ${customer} as id, ${to}::uuid as clock;
  update timers set test_clock_id = clock from moved where actor in (select id from invoices where customer_id = moved.id);
  update credit_notes set test_clock_id = clock from moved where customer_id = moved.id;
  update invoices set test_clock_id = clock from moved where customer_id = moved.id;
  update customers c set test_clock_id = clock from moved where c.id = moved.id`

test.each([
  [
    'an invoice of a clock in real time',
    CLOCK,
    `update invoices set test_clock_id = null where id = ${firstOf('invoices', ofClock)}`,
  ],
  [
    'an invoice in real time with a clock',
    CLOCK,
    `update invoices set test_clock_id = ${another('invoices')} where id = ${firstOf('invoices', inRealTime)}`,
  ],
  [
    'an invoice of another clock',
    CLOCK,
    `update invoices set test_clock_id = ${another('invoices')} where id = ${firstOf('invoices', ofClock)}`,
  ],
  [
    'a credit note of a clock in real time',
    CLOCK,
    `update credit_notes set test_clock_id = null where id = ${firstOf('credit_notes', ofClock)}`,
  ],
  [
    'a credit note in real time with a clock',
    CLOCK,
    `update credit_notes set test_clock_id = ${another('credit_notes')} where id = ${firstOf('credit_notes', inRealTime)}`,
  ],
  [
    'a timer of a clock in real time',
    CLOCK,
    `update timers set test_clock_id = null where (actor, name) = (select actor, name from timers where ${ofClock} limit 1)`,
  ],
  [
    'a timer of another clock',
    CLOCK,
    `update timers set test_clock_id = ${another('timers')} where (actor, name) = (select actor, name from timers where ${ofClock} limit 1)`,
  ],
  [
    'a customer without its clock',
    CLOCK,
    `update customers set test_clock_id = null where id = (select customer_id from invoices where ${ofClock} order by id limit 1)`,
  ],
  [
    'a customer with a clock that does not exist',
    CLOCK,
    `update customers set test_clock_id = gen_random_uuid() where id not in (select customer_id from invoices)`,
  ],
  [
    'a customer of the clock of another merchant',
    CLOCK,
    `with c as (select id from test_clocks order by id limit 1) update test_clocks set merchant_id = (select id from merchants m where m.id <> merchant_id limit 1) where id in (select id from c)`,
  ],
  [
    'a merge across clocks',
    CLOCK,
    `insert into merged_customers (customer_id, survivor_id) select a.id, b.id from customers a, customers b where a.${ofClock} and b.${inRealTime} limit 1`,
  ],
  [
    'an invoice of a clock in the series of real time',
    SERIES,
    `update invoices set series_id = ${seriesOf('invoice', inRealTime)}, sequence = 3 where id = ${firstOf('invoices', ofClock)}`,
  ],
  [
    'an invoice in real time in the series of a clock',
    SERIES,
    `update invoices set series_id = ${seriesOf('invoice', ofClock)}, sequence = 3 where id = ${firstOf('invoices', inRealTime)}`,
  ],
  [
    'a credit note of a clock in the series of real time',
    SERIES,
    `update credit_notes set series_id = ${seriesOf('credit_note', inRealTime)}, sequence = 2 where id = ${firstOf('credit_notes', ofClock)}`,
  ],
  [
    'the series of a clock in real time',
    SERIES,
    `drop index document_series_once; update document_series set test_clock_id = null where id = ${seriesOf('invoice', ofClock)}`,
  ],
  [
    'the series of real time with a clock',
    SERIES,
    `drop index document_series_once; update document_series set test_clock_id = ${another('document_series')} where id = ${seriesOf('invoice', inRealTime)}`,
  ],
  [
    'a customer of a clock that was moved to real time with its records, without the series,',
    SERIES,
    moveAll(firstOf('customers', ofClock), 'null'),
  ],
  [
    'a customer in real time that was moved to a clock with its records, without the series,',
    SERIES,
    moveAll(`(select customer_id from invoices where ${inRealTime} limit 1)`, '(select id from test_clocks limit 1)'),
  ],
])('%s is found', async (_, what, change) => {
  expect((await findAfter(change)).map(found => found.what)).toContain(what)
})
