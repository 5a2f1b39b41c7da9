import { afterAll, beforeAll, expect, test } from 'bun:test'
import postgres from 'postgres'
import { encodeId } from '../../src/ids.ts'
import { arrayTypes } from '../../src/postgres/arrays.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { listDeliveries } from '../../src/queries/deliveries.ts'
import { listDisputes } from '../../src/queries/disputes.ts'
import { listEvents } from '../../src/queries/events.ts'
import { type CommonFilter, noFilter } from '../../src/queries/list-filters.ts'
import { listPaymentLinks } from '../../src/queries/payment-links.ts'
import { listPayments } from '../../src/queries/payments.ts'
import { listRefunds } from '../../src/queries/refunds.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { makeDispute } from '../http/disputes.ts'
import { makeLink } from '../http/links.ts'
import { makePayment } from '../http/payments.ts'
import { type Shop, shop } from '../http/people.ts'
import { customerAddress, makeRefund } from '../http/refunds.ts'
import { makeEndpoint, sendTest } from '../http/webhooks.ts'

/** Of each kind. LIST_ROWS=200000 takes minutes. */
const ROWS = Number(process.env.LIST_ROWS ?? 20_000)
/** Rows that a list may read for a page of 20. Without an index that fits, it reads a part of the table. */
const MOST_READ = 1_500

const HOT_PAYER = `0x${'e'.repeat(40)}`
const RARE = `0x${'a'.repeat(40)}`
const TX = `0x${'7'.repeat(64)}`

let server: ApiServer
let here: Shop
let owner: { readonly merchantId: string; readonly livemode: boolean }
let links: { readonly busy: string; readonly quiet: string }
let object: string
let objectId: string
let endpoints: readonly string[]
let eventId: string

beforeAll(async () => {
  server = await apiServer({ routes: [] })
  here = await shop(server.api)
  owner = { merchantId: here.merchantId, livemode: false }
  links = { busy: (await makeLink(server.api, owner)).link.id, quiet: (await makeLink(server.api, owner)).link.id }
  await fill(server.sql)
}, 900_000)
afterAll(() => server[Symbol.asyncDispose]())

/** Each row is a copy of one that a machine has made, with a time, a customer and a link of its own. */
const fill = async (sql: Sql): Promise<void> => {
  const made = []
  for (const state of ['success', 'new', 'expired', 'canceled', 'failed', 'late']) {
    const { actor } = await makePayment(server.api, owner, state)
    made.push(actor)
  }
  const refund = await makeRefund(server.api, owner, customerAddress)
  await makeDispute(server.api, here, { submit: false })
  const dispute = await makeDispute(server.api, here, { submit: true })
  ;[object = ''] = made
  endpoints = [(await makeEndpoint(server.api, here)).row.id, (await makeEndpoint(server.api, here)).row.id]
  const delivery = await sendTest(server.api, here, { id: endpoints[0] ?? '' })
  eventId = crypto.randomUUID()
  objectId = encodeId('pay', object)
  // What tables do with each other's rows is of no interest here.
  await sql.unsafe('alter table events disable trigger all; alter table transfers disable trigger all')
  const copies = (table: string, template: string, changes: string, rows: number) =>
    sql.unsafe(`
      insert into ${table} overriding user value
      select copy.* from generate_series(1, ${rows}) n
      cross join lateral (select t from ${table} t where ${template}) t(row)
      cross join lateral jsonb_populate_record((t).row, jsonb_build_object(
        'id', gen_random_uuid(), 'created_at', now() - (${rows} - n) * interval '1 minute', ${changes})) copy
      order by n`)
  // Few are failed or need attention; one payer and one link have a lot of them.
  await copies(
    'payments',
    `id = (case when n % 5000 = 0 then '${made[4]}' when n % 4000 = 1 then '${made[5]}' when n % 7 = 0 then '${made[1]}'
      when n % 5 = 0 then '${made[2]}' when n % 11 = 0 then '${made[3]}' else '${made[0]}' end)::uuid`,
    `'address', case when (t).row.address is not null then '0x' || lpad(to_hex(n), 40, '0') end,
     'payment_link_id', case when n % 2 = 0 then '${links.busy}' when n % 3000 = 1 then '${links.quiet}' else gen_random_uuid()::text end,
     'customer_email', case when n % 2500 = 3 then 'Ada' || n || '@example.com' else 'customer' || n || '@example.com' end,
     'reference', case when n % 2 = 0 then 'busy' else 'order ' || n end,
     'payer_address', case when n % 3 = 0 then '${HOT_PAYER}' when n % 4000 = 7 then '${RARE}' else '0x' || lpad(to_hex(n), 40, 'f') end`,
    ROWS,
  )
  await copies(
    'payment_links',
    `id = '${links.quiet}'`,
    `'reference', 'link ' || n, 'state', case when n % 5000 = 0 then 'deactivated' else 'active' end,
     'deactivated_at', case when n % 5000 = 0 then now() end`,
    ROWS,
  )
  await copies(
    'refunds',
    `id = '${uuidOf(refund)}'`,
    `'state', case when n % 4000 = 0 then 'requires_signature' when n % 2 = 0 then 'canceled' else 'processed' end,
     'tx_hash', case when n % 2 = 1 then '0x' || lpad(to_hex(n), 64, '0') end,
     'destination', case when n % 4000 = 1 then '${RARE}' else '0x' || lpad(to_hex(n), 40, 'b') end,
     'payment_id', case when n % 5000 = 3 then '${object}' else gen_random_uuid()::text end`,
    ROWS,
  )
  await copies(
    'disputes',
    `id = '${uuidOf(dispute)}'`,
    `'state', case when n % 4000 = 0 then 'under_review' else 'won' end,
     'payment_id', case when n % 5000 = 3 then '${object}' else gen_random_uuid()::text end,
     'evidence_due_by', now() + interval '1 year'`,
    ROWS,
  )
  await copies(
    'events',
    `id = (select id from events where actor = '${object}' order by seq desc limit 1)`,
    `'actor', gen_random_uuid(), 'type', case when n % 5000 = 0 then 'payment.late' else 'payment.succeeded' end`,
    ROWS,
  )
  await sql`
    insert into transfers (chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, to_address, amount, state)
    select 31337, case when n % 5000 = 1 then ${TX} else '0x' || lpad(to_hex(n), 64, '0') end, n, n, '0x' || lpad(to_hex(n), 64, 'c'),
      now(), id, ${RARE}, 1, 'final'
    from (select id, row_number() over (order by seq) as n from payments limit ${ROWS}) p`
  await copies(
    'deliveries',
    `id = '${delivery}'`,
    `'event_id', case when n = 7 then '${eventId}' else gen_random_uuid()::text end,
     'event_type', case when n % 4000 = 0 then 'refund.failed' else 'payment.succeeded' end,
     'endpoint_id', case when n % 2 = 0 then '${endpoints[0]}' else '${endpoints[1]}' end,
     'state', case when n % 3000 = 0 then 'failed' when n % 5000 = 1 then 'pending' else 'delivered' end,
     'attempts', 1, 'automatic_attempts', 1,
     'next_attempt_at', case when n % 5000 = 1 and n % 3000 > 0 then now() end,
     'delivered_at', case when n % 3000 > 0 and n % 5000 <> 1 then now() end`,
    ROWS,
  )
  await sql.unsafe('analyze deliveries, payments, payment_links, refunds, disputes, events, transfers')
}

const uuidOf = (id: string): string => {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz'
  const value = [...(id.split('_')[1] ?? '')].reduce((sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)), 0n)
  return value
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

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
    owner,
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
    'of a quiet link': { paymentLinkId: links.quiet },
    'of a busy link': { paymentLinkId: links.busy },
    'of a reference': { reference: 'busy' },
    'that need attention': { attention: true },
  }
  const found = {
    '': {},
    'by id': { search: objectId },
    'by link': { search: encodeId('plink', links.quiet) },
    'by busy link': { search: encodeId('plink', links.busy) },
    'by reference': { search: 'order 17' },
    'by transaction': { search: TX },
    'by deposit address': { search: `0x${'9'.repeat(40)}` },
    'by payer': { search: RARE },
    'by busy payer': { search: HOT_PAYER },
    'by e-mail': { search: 'ada' },
    'by nothing': { search: 'nothing at all' },
  }
  await expectIndexes(combined<object>(statuses, times, of), payments)
  await expectIndexes(combined<object>(statuses, times, found), payments)
}, 900_000)

test('every combination of filters of payment links is served by an index', async () => {
  const statuses = { 'of any status': {}, deactivated: { statuses: ['deactivated', 'expired'] } }
  const found = {
    '': {},
    'by id': { search: encodeId('plink', links.quiet) },
    'by reference': { search: 'link 17' },
    'of a reference': { reference: 'link 17' },
  }
  await expectIndexes(combined<object>(statuses, times, found), (sql, filter, order) =>
    listPaymentLinks(sql, owner, { ...noFilter, reference: undefined, ...filter }, { ...page, order }),
  )
}, 900_000)

const ofPayment = () => ({ '': {}, 'of a payment': { paymentId: object } })

test('every combination of filters of refunds is served by an index', async () => {
  const statuses = { 'of any status': {}, 'to be signed': { statuses: ['requires_signature', 'failed'] } }
  const found = {
    '': {},
    'by payment': { search: objectId },
    'by reference': { search: 'order 17' },
    'by transaction': { search: TX },
    'by destination': { search: RARE },
    'by e-mail': { search: 'ada' },
    'that need attention': { attention: { chainsOn: [31337] } },
  }
  await expectIndexes(combined<object>(statuses, times, ofPayment(), found), (sql, filter, order) =>
    listRefunds(sql, owner, { ...noFilter, paymentId: undefined, attention: undefined, ...filter }, { ...page, order }),
  )
}, 900_000)

test('every combination of filters of disputes is served by an index', async () => {
  const statuses = { 'of any status': {}, 'under review': { statuses: ['under_review', 'lost'] } }
  const found = {
    '': {},
    'by payment': { search: objectId },
    'by reference': { search: 'order 17' },
    'by e-mail': { search: 'ada' },
  }
  await expectIndexes(combined<object>(statuses, times, ofPayment(), found), (sql, filter, order) =>
    listDisputes(sql, owner, { ...noFilter, paymentId: undefined, ...filter }, { ...page, order }),
  )
}, 900_000)

test('every combination of filters of events is served by an index', async () => {
  const types = { 'of any type': {}, 'of a type': { type: 'payment.late' } }
  const objects = { '': {}, 'of an object': { objectId: object } }
  await expectIndexes(combined<object>(types, objects), (sql, filter, order) =>
    listEvents(sql, owner, { type: undefined, objectId: undefined, ...filter }, { ...page, order }),
  )
}, 900_000)

test('every combination of filters of deliveries is served by an index', async () => {
  const statuses = { 'of any status': {}, delivered: { status: 'delivered' }, failed: { status: 'failed' } }
  const types = {
    '': {},
    'of a type': { eventType: 'payment.succeeded' },
    'of a rare type': { eventType: 'refund.failed' },
  }
  const events = { '': {}, 'of an event': { eventId } }
  const of = { '': {}, 'to an endpoint': { endpointId: endpoints[1] } }
  await expectIndexes(combined<object>(statuses, types, events, of), (sql, filter, order) =>
    listDeliveries(sql, owner, { status: undefined, endpointId: undefined, ...filter }, { ...page, order }),
  )
}, 900_000)
