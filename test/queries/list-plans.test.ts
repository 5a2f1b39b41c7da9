import { afterAll, beforeAll, expect, test } from 'bun:test'
import postgres from 'postgres'
import { encodeId } from '../../src/ids.ts'
import { arrayTypes } from '../../src/postgres/arrays.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { listCustomers } from '../../src/queries/customer-lists.ts'
import { listDeliveries } from '../../src/queries/deliveries.ts'
import { listDisputes } from '../../src/queries/disputes.ts'
import { listEvents } from '../../src/queries/events.ts'
import { type CommonFilter, noFilter } from '../../src/queries/list-filters.ts'
import { searchActors } from '../../src/queries/ops/search.ts'
import { listPaymentLinks } from '../../src/queries/payment-links.ts'
import { listPayments } from '../../src/queries/payments.ts'
import { listRefunds } from '../../src/queries/refunds.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { makeCustomer } from '../http/customers.ts'
import { shop } from '../http/people.ts'
import { HOT_PAYER, type ManyRecords, makeManyRecords, RARE, TX } from './many-records.ts'

/** Of each kind. LIST_ROWS=200000 takes minutes. */
const ROWS = Number(process.env.LIST_ROWS ?? 20_000)
/** Rows that a list may read for a page of 20. Without an index that fits, it reads a part of the table. */
const MOST_READ = 1_500

let server: ApiServer
let made: ManyRecords

beforeAll(async () => {
  server = await apiServer({ routes: [] })
  made = await makeManyRecords(server, await shop(server.api), { rows: ROWS, rare: 4 })
}, 900_000)
afterAll(() => server[Symbol.asyncDispose]())

type PlanNode = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const modes = ['force_custom_plan', 'force_generic_plan'] as const
type Mode = (typeof modes)[number]

/** Connections that report the plan of each statement, by how it is planned. */
const explained = new Map<Mode, Sql>()
let plans: PlanNode[] = []
afterAll(() => Promise.all([...explained.values()].map(sql => sql.end())))

const connectExplained = async (mode: Mode): Promise<Sql> => {
  const sql = postgres(server.databaseUrl, {
    ...{ max: 1, fetch_types: false, types: arrayTypes },
    onnotice: ({ message }) => {
      const [, json] = /plan:\n(\{[\s\S]*\})$/.exec(String(message)) ?? []
      if (json) plans.push(JSON.parse(json).Plan)
    },
  }) as unknown as Sql
  await sql`load 'auto_explain'`
  // The settings of the server's connections for requests.
  await sql.unsafe(`
    set enable_seqscan = off; set enable_bitmapscan = off; set plan_cache_mode = ${mode};
    set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on; set auto_explain.log_timing = off;
    set auto_explain.log_format = json; set auto_explain.log_level = notice`)
  explained.set(mode, sql)
  return sql
}

/** How a list was read: whether a table was read as a whole, and how many rows of the tables were looked at. */
const readingOf = async (list: (sql: Sql) => Promise<unknown>, mode: Mode) => {
  const sql = explained.get(mode) ?? (await connectExplained(mode))
  plans = []
  await list(sql)
  const scans = plans.flatMap(nodesOf).filter(node => node['Relation Name'] !== undefined)
  const loopsOf = (node: PlanNode) => node['Actual Loops'] ?? 1
  const rowsOf = (node: PlanNode) =>
    loopsOf(node) *
    ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0))
  return {
    plans: plans.length,
    whole: scans.filter(node => node['Node Type'] === 'Seq Scan').map(node => node['Relation Name']),
    read: Math.round(scans.reduce((sum, node) => sum + rowsOf(node), 0)),
  }
}

const ago = (share: number) => new Date(Date.now() - share * ROWS * 60_000)
type Choice<Filter> = Readonly<Record<string, Partial<Filter>>>

const times: Choice<CommonFilter> = {
  'at any time': {},
  'after a time': { createdAfter: ago(0.9) },
  'before a time': { createdBefore: ago(0.95) },
  'between two times': { createdAfter: ago(0.6), createdBefore: ago(0.5) },
}

const page = { after: undefined, limit: 20, order: 'desc' } as const

/** Every combination of one choice of each. */
const combined = <Filter>(...choices: readonly Choice<Filter>[]): readonly [string, Partial<Filter>][] =>
  choices.reduce<readonly [string, Partial<Filter>][]>(
    (some, choice) =>
      some.flatMap(([name, filter]) =>
        Object.entries(choice).map(([more, other]) => [`${name} ${more}`.trim(), { ...filter, ...other }] as const),
      ) as readonly [string, Partial<Filter>][],
    [['', {}]],
  )

/** Checks each of them, with plans made for its values and for any. */
const expectIndexes = async <Filter>(
  lists: readonly [string, Partial<Filter>][],
  list: (sql: Sql, filter: Partial<Filter>, order: 'asc' | 'desc') => Promise<unknown>,
): Promise<void> => {
  const faults: string[] = []
  for (const [name, filter] of lists)
    for (const mode of modes)
      for (const order of ['desc', 'asc'] as const) {
        const { plans, whole, read } = await readingOf(sql => list(sql, filter, order), mode)
        if (plans === 0 || whole.length > 0 || read > MOST_READ)
          faults.push(
            `${name} (${mode}, ${order}): ${plans} plans, ${read} rows read, all of ${whole.join() || 'none'}`,
          )
      }
  expect(faults).toEqual([])
}

const payments = (sql: Sql, filter: object, order: 'asc' | 'desc') =>
  listPayments(
    sql,
    made.owner,
    { ...noFilter, paymentLinkId: undefined, reference: undefined, attention: false, ...filter },
    { ...page, order },
  )

test('every combination of filters of payments is served by an index', async () => {
  const statuses = {
    'of any status': {},
    'that have failed': { statuses: ['failed'] },
    'of two statuses': { statuses: ['failed', 'success'] },
  }
  const of = {
    '': {},
    'of a quiet link': { paymentLinkId: made.links.quiet },
    'of a busy link': { paymentLinkId: made.links.busy },
    'of a reference': { reference: 'busy' },
    'that need attention': { attention: true },
  }
  const found = {
    '': {},
    'by id': { search: made.objectId },
    'by link': { search: encodeId('plink', made.links.quiet) },
    'by busy link': { search: encodeId('plink', made.links.busy) },
    'by reference': { search: 'order 17' },
    'by transaction': { search: TX },
    'by deposit address': { search: `0x${'9'.repeat(40)}` },
    'by payer': { search: RARE },
    'by busy payer': { search: HOT_PAYER },
    'by e-mail': { search: 'ada' },
    'by a common e-mail': { search: 'customer' },
    'by nothing': { search: 'nothing at all' },
  }
  await expectIndexes(combined<object>(statuses, times, of), payments)
  await expectIndexes(combined<object>(statuses, times, found), payments)
}, 900_000)

test('every combination of filters of payment links is served by an index', async () => {
  const statuses = { 'of any status': {}, deactivated: { statuses: ['deactivated', 'expired'] } }
  const found = {
    '': {},
    'of invoices': { hidden: true },
    'by id': { search: encodeId('plink', made.links.quiet) },
    'by reference': { search: 'link 17' },
    'of a reference': { reference: 'link 17' },
  }
  await expectIndexes(combined<object>(statuses, times, found), (sql, filter, order) =>
    listPaymentLinks(
      sql,
      made.owner,
      { ...noFilter, reference: undefined, hidden: false, ...filter },
      { ...page, order },
    ),
  )
}, 900_000)

const ofPayment = () => ({ '': {}, 'of a payment': { paymentId: made.object } })

test('every combination of filters of refunds is served by an index', async () => {
  const statuses = { 'of any status': {}, 'to be signed': { statuses: ['requires_signature', 'failed'] } }
  const found = {
    '': {},
    'by payment': { search: made.objectId },
    'by reference': { search: 'order 17' },
    'by a common reference': { search: 'busy' },
    'by transaction': { search: TX },
    'by destination': { search: RARE },
    'by e-mail': { search: 'ada' },
    'by a common e-mail': { search: 'customer' },
    'that need attention': { attention: { chainsOn: [31337] } },
  }
  await expectIndexes(combined<object>(statuses, times, ofPayment(), found), (sql, filter, order) =>
    listRefunds(
      sql,
      made.owner,
      { ...noFilter, paymentId: undefined, attention: undefined, ...filter },
      { ...page, order },
    ),
  )
}, 900_000)

test('every combination of filters of disputes is served by an index', async () => {
  const statuses = { 'of any status': {}, 'under review': { statuses: ['under_review', 'lost'] } }
  const found = {
    '': {},
    'by payment': { search: made.objectId },
    'by reference': { search: 'order 17' },
    'by a common reference': { search: 'busy' },
    'by e-mail': { search: 'ada' },
    'by a common e-mail': { search: 'customer' },
  }
  await expectIndexes(combined<object>(statuses, times, ofPayment(), found), (sql, filter, order) =>
    listDisputes(sql, made.owner, { ...noFilter, paymentId: undefined, ...filter }, { ...page, order }),
  )
}, 900_000)

test('every combination of filters of events is served by an index', async () => {
  const types = { 'of any type': {}, 'of a type': { type: 'payment.late' } }
  const objects = { '': {}, 'of an object': { objectId: made.object } }
  await expectIndexes(combined<object>(types, objects), (sql, filter, order) =>
    listEvents(sql, made.owner, { type: undefined, objectId: undefined, ...filter }, { ...page, order }),
  )
}, 900_000)

test('every combination of filters of deliveries is served by an index', async () => {
  const statuses = { 'of any status': {}, delivered: { status: 'delivered' }, failed: { status: 'failed' } }
  const types = {
    '': {},
    'of a type': { eventType: 'payment.succeeded' },
    'of a rare type': { eventType: 'refund.failed' },
  }
  const events = { '': {}, 'of an event': { eventId: made.eventId } }
  const of = { '': {}, 'to an endpoint': { endpointId: made.endpoints[1] } }
  await expectIndexes(combined<object>(statuses, types, events, of), (sql, filter, order) =>
    listDeliveries(sql, made.owner, { status: undefined, endpointId: undefined, ...filter }, { ...page, order }),
  )
}, 900_000)

test('customers of a reference or of the beginning of an e-mail address are found by an index, few or many', async () => {
  const { customer } = await makeCustomer(server.api, made.owner, { reference: null })
  const names = await server.sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = 'customers'::regclass and attnum > 0 and not attisdropped and attidentity = '' order by attnum`
  const columns = names.map(({ name }) => name)
  await server.sql.unsafe(`
    insert into customers (${columns.join(', ')})
    select ${columns.map(name => (name === 'id' ? 'gen_random_uuid()' : name)).join(', ')}
    from customers, generate_series(1, ${ROWS}) where id = '${customer.id}'`)
  const { merchantId, livemode } = made.owner
  await server.sql`alter table customer_emails disable trigger user`
  await server.sql`
    insert into customer_emails
    select merchant_id, livemode, 'buyer' || id || '@example.com', id, 'buyer' || id || '@example.com'
    from customers where merchant_id = ${merchantId} and livemode = ${livemode}`
  await server.sql`alter table customer_emails enable trigger user`
  await makeCustomer(server.api, made.owner, { reference: 'customer 7' })
  await server.sql`analyze customers, customer_emails`
  const filters = {
    ...{ 'of a reference': { reference: 'customer 7' }, 'of none': { reference: 'nothing at all' } },
    ...{ 'by a common e-mail': { search: 'buyer' }, 'by an e-mail of none': { search: 'nothing' } },
  }
  await expectIndexes(combined<object>(filters), (sql, filter, order) =>
    listCustomers(
      sql,
      made.owner,
      { email: undefined, reference: undefined, search: undefined, ...filter },
      { ...page, order },
    ),
  )
}, 900_000)

test('what operators search for is found by indexes', async () => {
  const texts = {
    'a reference': 'order 3',
    'that of a link': 'link 3',
    nothing: 'nothing at all',
    'a payer': HOT_PAYER,
    'a transaction': TX,
  }
  const searches = { ...texts, 'a payment': encodeId('pay', made.object), 'an event': made.eventId }
  const filters = Object.fromEntries(Object.entries(searches).map(([name, text]) => [name, { text }]))
  await expectIndexes(combined<{ text: string }>(filters), (sql, { text }) => searchActors(sql, text ?? ''))
}, 900_000)
