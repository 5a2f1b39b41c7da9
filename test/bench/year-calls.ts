import { documentOf } from '../../src/http/openapi/document.ts'
import { routes } from '../../src/http/routes.ts'
import { encodeId } from '../../src/ids.ts'
import type { Sql } from '../../src/postgres/connect.ts'

/** A call whose time is compared, and what it is about. `path` has the IDs of one database. */
export type YearCall = {
  readonly group: string
  readonly what: string
  readonly path: string
  readonly as: 'key' | 'owner'
}

/** Operations that are not compared, by the end of their path or their answer, and why. */
const left = [
  [/\/stream$/, 'stays open'],
  [/\/ops\/inspect$/, 'is a WebSocket'],
  [/\/exports\//, 'is as long as the list: bun run bench analytics'],
  [/\/analytics\//, 'has a promise of its own'],
  [/^\/v1\/(checkout|auth)\//, 'reads one record of a customer or an account'],
  [/\/payment-uri$/, 'of refunds that wait for a signature: reads one record'],
  [/\/(recovery-file|settings|settings\/billing)$/, 'reads one record'],
] as const

/** Resources of which there are no records: their lists are read, their records are not. */
const unloaded = /\/(invoices|credit-notes|plans|subscriptions|test-clocks|audits)\/\{id\}|\/inbox$/

/** IDs of records in the middle of the lists, and what is common or rare. */
export type YearRecords = {
  readonly merchant: string
  readonly ids: Readonly<Record<string, string>>
  readonly common: Readonly<Record<'customer' | 'link', string>>
  readonly email: string
  readonly reference: string
  readonly payer: string
  readonly txHash: string
  readonly refunded: string
  readonly disputed: string
  readonly actor: string
  readonly eventId: string
  /** The times after a half of the payments, and after four tenths. */
  readonly half: Date
  readonly before: Date
}

/** The tables by the segment of their URLs. */
const tables = {
  payments: ['payments', 'pay'],
  'payment-links': ['payment_links', 'plink'],
  refunds: ['refunds', 're'],
  disputes: ['disputes', 'dp'],
  customers: ['customers', 'cus'],
  events: ['events', null],
  deliveries: ['deliveries', 'whd'],
  'webhook-endpoints': ['webhook_endpoints', 'whe'],
} as const

export const findRecords = async (sql: Sql, merchantId: string): Promise<YearRecords> => {
  const ids: Record<string, string> = {}
  const plain: Record<string, string> = {}
  for (const [segment, [table, prefix]] of Object.entries(tables)) {
    const [row] = await sql<{ id: string }[]>`
      select id from ${sql(table)} where merchant_id = ${merchantId} and not livemode order by seq
      offset (select count(*) / 2 from ${sql(table)} where merchant_id = ${merchantId} and not livemode) limit 1`
    plain[segment] = row?.id ?? ''
    ids[segment] = prefix === null ? (row?.id ?? '') : encodeId(prefix, row?.id ?? '')
  }
  const [middle] = await sql<Record<'email' | 'reference' | 'payer' | 'txHash' | 'event', string>[]>`
    select customer_email as email, reference, payer_address as payer, tx_hash as "txHash",
      (select id from events where actor = p.id order by seq desc limit 1) as event
    from payments p
    where merchant_id = ${merchantId} and state = 'success'
      and seq >= (select seq from payments where id = ${plain.payments ?? ''}) order by seq limit 1`
  const oldest = async (table: string) => {
    const [row] = await sql<{ id: string }[]>`
      select id from ${sql(table)} where merchant_id = ${merchantId} order by seq limit 1`
    return row?.id ?? ''
  }
  const paymentOf = async (table: string) => {
    const [row] = await sql<{ id: string }[]>`
      select payment_id as id from ${sql(table)} where merchant_id = ${merchantId} order by seq limit 1`
    return encodeId('pay', row?.id ?? '')
  }
  const [times] = await sql<{ first: Date; last: Date }[]>`
    select min(created_at) as first, max(created_at) as last from payments where merchant_id = ${merchantId}`
  const at = (share: number) =>
    new Date((times?.first.getTime() ?? 0) * (1 - share) + (times?.last.getTime() ?? 0) * share)
  return {
    ...{ merchant: encodeId('mer', merchantId), ids, actor: plain.payments ?? '' },
    common: {
      customer: encodeId('cus', await oldest('customers')),
      link: encodeId('plink', await oldest('payment_links')),
    },
    ...{ email: middle?.email ?? '', reference: middle?.reference ?? '', payer: middle?.payer ?? '' },
    ...{ txHash: middle?.txHash ?? '', eventId: middle?.event ?? '' },
    ...{ refunded: await paymentOf('refunds'), disputed: await paymentOf('disputes') },
    ...{ half: at(0.5), before: at(0.4) },
  }
}

type Parameter = { readonly name: string; readonly in: string; readonly schema?: Schema }
type Schema = { readonly enum?: readonly unknown[]; readonly items?: { readonly enum?: readonly unknown[] } }

/**
 * Every operation that reads, with every parameter that it has in the API document. Throws for an operation or a parameter that
 * this file does not know: a new list is measured, or left out for a reason.
 */
export const callsOf = (records: YearRecords): readonly YearCall[] =>
  Object.entries(documentOf(routes, 'https://pay.lamps.shop').paths).flatMap(([path, methods]) => {
    const operation = methods.get as { readonly parameters?: readonly Parameter[] } | undefined
    if (!operation || left.some(([pattern]) => pattern.test(path)) || unloaded.test(path)) return []
    const as = /^\/v1\/(merchants|ops)\//.test(path) ? 'owner' : 'key'
    const surface = path.startsWith('/v1/ops/') ? 'operators' : as === 'owner' ? 'dashboard' : 'API'
    const segment = path.replace(/^\/v1\/(merchants\/\{merchantId\}\/|ops\/)?/, '').split('/')[0] ?? ''
    const place = placed(path, segment, records)
    const parameters = (operation.parameters ?? []).filter(parameter => parameter.in === 'query')
    const isList = parameters.some(({ name }) => name === 'startingAfter')
    const required = path === '/v1/ops/search' ? [] : [['', '']]
    const queries = [...required, ...parameters.flatMap(parameter => valuesOf(path, segment, parameter, records))]
    return queries.map(([what, query]) => ({
      ...{
        group: `${surface}, ${segment}`,
        as,
        what: `${path.replace('/v1/merchants/{merchantId}', '…')} ${what}`.trim(),
      },
      path: `${place}?${[isList ? 'limit=25' : '', query].filter(Boolean).join('&')}`.replace(/\?$/, ''),
    }))
  })

const placed = (path: string, segment: string, { merchant, ids, actor }: YearRecords): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'merchantId') return merchant
    if (name === 'kind') return 'payment'
    const id = segment === 'actors' ? actor && ids.payments : ids[segment]
    if (name !== 'id' || !id) throw new Error(`year-calls.ts has no ${name} for ${path}`)
    return id
  })

type Named = readonly [what: string, query: string]

const valuesOf = (
  path: string,
  segment: string,
  { name, schema }: Parameter,
  records: YearRecords,
): readonly Named[] => {
  const { ids, common, half, before, email, reference } = records
  const given = (values: Readonly<Record<string, string>>): readonly Named[] =>
    Object.entries(values).map(([what, value]) => [what, `${name}=${encodeURIComponent(value)}`])
  const each = schema?.enum ?? schema?.items?.enum
  switch (name) {
    case 'limit':
    case 'livemode':
      return []
    case 'order':
      return [['oldest first', 'order=asc']]
    case 'startingAfter': {
      if (path === '/v1/ops/transitions') return [['in the middle', `startingAfter=${ids.payments}:1`]]
      // The lists of a part of another record begin at its own records.
      const isPart = /\{id\}/.test(path) || !(segment in tables)
      return isPart ? [] : [['in the middle', `startingAfter=${ids[segment]}`]]
    }
    case 'createdAfter':
      return [
        ...given({ 'of a half': half.toISOString() }),
        ['between', `createdAfter=${before.toISOString()}&createdBefore=${half.toISOString()}`],
      ]
    case 'createdBefore':
      return given({ 'before a half': half.toISOString() })
    case 'status':
    case 'kind':
    case 'window':
      return (each ?? []).flatMap(value => given({ [`${name} ${value}`]: `${value}` }))
    case 'attention':
    case 'hidden':
    case 'overdue':
      return given({ [name]: 'true' })
    case 'customerId':
      return given({ 'of a customer': ids.customers ?? '', 'of a busy customer': common.customer })
    case 'paymentLinkId':
      return given({ 'of a link': ids['payment-links'] ?? '', 'of a busy link': common.link })
    case 'paymentId':
      return given({ 'of a payment': segment === 'disputes' ? records.disputed : records.refunded })
    case 'objectId':
      return given({ 'of a payment': ids.payments ?? '' })
    case 'type':
    case 'eventType':
      return given({
        'of a common type': 'payment.succeeded',
        'of a rare type': 'payment.late',
        'of no event': 'invoice.voided',
      })
    case 'endpointId':
      return given({ 'to an endpoint': ids['webhook-endpoints'] ?? '' })
    case 'eventId':
      return given({ 'of an event': records.eventId })
    case 'action':
      return given({ 'of an action': 'settings.changed' })
    case 'email':
      return given({ 'of an e-mail address': email })
    case 'reference':
      return given({ 'of a reference': reference })
    case 'number':
      return given({ 'of a number': 'INV-2026-0001' })
    case 'dueBefore':
      return given({ 'due before': half.toISOString() })
    case 'invoiceId':
    case 'planId':
    case 'subscriptionId':
      return given({
        [`of no ${name}`]: encodeId(
          ({ invoiceId: 'inv', planId: 'plan', subscriptionId: 'sub' } as const)[name],
          half7,
        ),
      })
    case 'year':
      return given({ 'of a year': '2026' })
    case 'actor':
      return given({ 'of an actor': ids.payments ?? '' })
    case 'event':
      return given({ 'of an event': 'finalized', 'of a rare event': 'window_over' })
    case 'merchantId':
      return given({ 'of a merchant': records.merchant })
    case 'state':
      return given({ 'in a state': 'success', 'in a rare state': 'canceled' })
    case 'q':
      return given({
        'search of a payment': ids.payments ?? '',
        'search of a link': common.link,
        'search of a customer': ids.customers ?? '',
        'search of a reference': reference,
        'search of a transaction': records.txHash,
        'search of an address': records.payer,
        'search of an e-mail address': email,
        'search of a common e-mail address': 'customer',
        'search of nothing': 'nothing at all',
      })
    default:
      throw new Error(`year-calls.ts has no value for ${name} of ${path}`)
  }
}

/** The ID of no record. */
const half7 = '0193a000-0000-7000-8000-000000000000'
