import { hashClientSecret } from '../../src/access/client-secret.ts'
import { createApiKey } from '../../src/commands/api-keys.ts'
import { invite } from '../../src/commands/invites.ts'
import { cancelSubscription, pauseSubscription } from '../../src/commands/subscription-actions.ts'
import { createInbox } from '../../src/commands/webhook-endpoints.ts'
import type { Api } from '../../src/http/api.ts'
import { exportNames } from '../../src/http/exports/kinds.ts'
import { formats } from '../../src/http/exports/lines.ts'
import type { Route } from '../../src/http/route.ts'
import { hashTicket, newTicket } from '../../src/http/ticket-access.ts'
import { encodeId } from '../../src/ids.ts'
import { insertExportTicket } from '../../src/queries/exports.ts'
import { resources } from '../../src/resources.ts'
import { INVOICE_PURPOSE, SUBSCRIPTION_PURPOSE } from '../../src/sealed-columns.ts'
import { subjects } from '../kinds/subjects.ts'
import { makeCreditNote } from './credit-notes.ts'
import { makeCustomer } from './customers.ts'
import { makeDispute } from './disputes.ts'
import { aLamp, makeInvoice, setSeller } from './invoices.ts'
import { makeLink } from './links.ts'
import { makePayment } from './payments.ts'
import { member, person, type Shop } from './people.ts'
import { makePlan } from './plans.ts'
import { customerAddress, makeRefund } from './refunds.ts'
import { makeSubscription } from './subscriptions.ts'
import { makeTestClock } from './test-clocks.ts'
import { makeEndpoint, sendTest } from './webhooks.ts'

/** For a route with an id: how the object is made, and a body that the route accepts. */
export type Fixture = {
  readonly make: (api: Api, of: Shop, livemode: boolean) => Promise<string>
  readonly body?: object
  /** Parameters that the route requires. */
  readonly query?: Readonly<Record<string, string>>
  /** The client secret, for routes of customers without an account. */
  readonly headers?: (id: string) => Readonly<Record<string, string>>
  /** The expected status without a sandbox, if it is no success. */
  readonly status?: number
}

const by = (shop: Shop) => ({ accountId: shop.owner.accountId, actor: shop.owner.id, address: '127.0.0.1' })

const key: Fixture = {
  make: async (api, shop, livemode) => {
    const spec = { merchantId: shop.merchantId, livemode, name: 'A key', scopes: ['*'] as const, expiresAt: null }
    return encodeId('key', (await createApiKey(api, { ...spec, scopes: [...spec.scopes] }, by(shop))).row.id)
  },
}

const memberFixture: Fixture = {
  make: async (api, shop) => (await member(api, shop, 'viewer', `${crypto.randomUUID()}@lamps.example`)).id,
}

const invitation: Fixture = {
  make: async (api, shop) => {
    const made = await invite(api, { merchantId: shop.merchantId, role: 'viewer', email: null }, by(shop))
    return encodeId('invite', made.invite.id)
  },
}

const session: Fixture = {
  make: async (api, shop) => {
    await person(api, `${crypto.randomUUID()}@lamps.example`)
    const [row] = await api.sql<{ id: string }[]>`
      update sessions set account_id = ${shop.owner.accountId}
      where id = (select id from sessions order by created_at desc limit 1) returning id`
    return encodeId('session', row?.id ?? '')
  },
}

const paymentLink: Fixture = {
  make: async (api, { merchantId }, livemode) => (await makeLink(api, { merchantId, livemode })).id,
}

/** In a situation of the machine's tests. */
const payment = (situation: string): Fixture => ({
  make: async (api, { merchantId }, livemode) => (await makePayment(api, { merchantId, livemode }, situation)).id,
})

/** A payment read with its client secret. A stream with the right secret would never end. */
const checkout: Fixture = {
  make: async (api, { merchantId }, livemode) => {
    const { id, actor } = await makePayment(api, { merchantId, livemode }, 'new')
    await api.sql`
      insert into checkouts (payment_id, secret_hash) values (${actor}, ${hashClientSecret(secretOf(id))})`
    return id
  },
  headers: id => ({ 'client-secret': secretOf(id) }),
}

const secretOf = (id: string) => `${id}_secret_${'a'.repeat(43)}`

const event: Fixture = {
  make: async (api, { merchantId }, livemode) => {
    const { actor } = await makePayment(api, { merchantId, livemode }, 'new')
    const [row] = await api.sql<{ id: string }[]>`select id from events where actor = ${actor}`
    return row?.id ?? ''
  },
}

const signableRefund: Fixture = {
  make: async (api, { merchantId }, livemode) => makeRefund(api, { merchantId, livemode }, customerAddress),
  // A transaction can pay only one refund.
  get body() {
    return { txHash: `0x${crypto.randomUUID().replaceAll('-', '').padStart(64, '0')}` }
  },
}

const refund: Fixture = {
  make: async (api, { merchantId }, livemode) => makeRefund(api, { merchantId, livemode }),
}

const dispute = (submit: boolean): Fixture => ({
  // Disputes do not exist in live mode.
  make: async (api, shop, livemode) =>
    livemode ? encodeId('dp', crypto.randomUUID()) : makeDispute(api, shop, { submit }),
})

const customer: Fixture = {
  make: async (api, { merchantId }, livemode) => (await makeCustomer(api, { merchantId, livemode })).id,
}

const aDraft = { customer: { email: 'ada@example.com' }, currency: 'EUR', lines: [aLamp] }

const invoice = (finalize: boolean): Fixture => ({
  make: async (api, { merchantId }, livemode) => {
    await setSeller(api.sql, merchantId)
    return (await makeInvoice(api, { merchantId, livemode }, { finalize })).id
  },
})

/** Of an invoice that does not exist. */
const aCreditNote = { invoiceId: encodeId('inv', crypto.randomUUID()), reason: 'other', whole: true }

const creditNote: Fixture = {
  make: async (api, { merchantId }, livemode) => {
    await setSeller(api.sql, merchantId)
    return (await makeCreditNote(api, { merchantId, livemode })).id
  },
}

const aPlan = { name: 'Lamp club', currency: 'EUR', lines: [aLamp], interval: 'month' }

const aSubscription = { ...aDraft, interval: 'month' }

const plan: Fixture = {
  make: async (api, { merchantId }, livemode) => encodeId('plan', (await makePlan(api, { merchantId, livemode })).id),
}

/** In its trial; with `begin` or `pause` active, and with the request that is named. */
const subscription = (requested?: 'begin' | 'cancel_at_end' | 'pause'): Fixture => ({
  make: async (api, { merchantId }, livemode) => {
    await setSeller(api.sql, merchantId)
    const owner = { merchantId, livemode }
    const begun = { trialDays: 0, activation: 'immediate' } as const
    const isBegun = requested === 'begin' || requested === 'pause'
    const { id } = await makeSubscription(api, owner, isBegun ? begun : {})
    const requester = { cause: 'test', responseRows: () => [] }
    if (requested === 'pause') await pauseSubscription(api, { id, ...owner }, null, requester)
    if (requested === 'cancel_at_end') await cancelSubscription(api, { id, ...owner }, 'period_end', requester)
    return encodeId('sub', id)
  },
})

const testClock: Fixture = {
  // Test clocks do not exist in live mode.
  make: async (api, { merchantId }, livemode) =>
    encodeId('clk', livemode ? crypto.randomUUID() : (await makeTestClock(api, { merchantId, livemode })).id),
}

/** Found by the token of its page. */
const invoicePage: Fixture = {
  make: async (api, { merchantId }, livemode) => {
    await setSeller(api.sql, merchantId)
    const { invoice } = await makeInvoice(api, { merchantId, livemode }, { finalize: true })
    return api.keyring.open(INVOICE_PURPOSE, invoice.id, invoice.context.sealedToken ?? '')
  },
}

const subscriptionPage: Fixture = {
  make: async (api, { merchantId }, livemode) => {
    await setSeller(api.sql, merchantId)
    const { id, context } = await makeSubscription(api, { merchantId, livemode })
    return api.keyring.open(SUBSCRIPTION_PURPOSE, id, context.sealedToken)
  },
}

/** The shop's endpoint, or a new one when that was deleted: a shop can have at most fifty. */
const endpointOf = async (api: Api, shop: Shop, livemode: boolean): Promise<{ readonly id: string }> => {
  const [existing] = await api.sql<{ id: string }[]>`
    select id from webhook_endpoints
    where merchant_id = ${shop.merchantId} and livemode = ${livemode} and state = 'enabled' limit 1`
  return existing ?? (await makeEndpoint(api, shop, { livemode })).row
}

const endpoint: Fixture = {
  make: async (api, shop, livemode) => encodeId('whe', (await endpointOf(api, shop, livemode)).id),
}

const aRange = { from: '2020-01-01', to: '2020-01-02' }
const anExport: Fixture = { make: async () => '', query: aRange }

const exportDownload: Fixture = {
  make: async (api, { merchantId, owner }) => {
    const ticket = newTicket(api.random)
    const [session] = await api.sql<{ id: string }[]>`
      select id from sessions where account_id = ${owner.accountId} and ended_at is null limit 1`
    await insertExportTicket(api.sql, {
      ...{ hash: hashTicket(ticket) ?? new Uint8Array(), merchantId, sessionId: session?.id ?? '' },
      request: { kind: 'payments', format: 'csv', query: { ...aRange, livemode: 'false' } },
    })
    return ticket
  },
}

const inbox: Fixture = {
  // Inboxes do not exist in live mode.
  make: async (api, { merchantId, owner }, livemode) => {
    if (livemode) return encodeId('whe', crypto.randomUUID())
    const spec = { merchantId, description: null, eventTypes: ['payment.late'] }
    const by = { accountId: owner.accountId, actor: owner.id, address: '127.0.0.1' }
    const [existing] = await api.sql<{ id: string }[]>`
      select id from webhook_endpoints
      where merchant_id = ${merchantId} and inbox_token is not null and state <> 'deleted'`
    return encodeId('whe', (existing ?? (await createInbox(api, spec, by)).row).id)
  },
}

/** A delivery that has ended, so that it can be sent again. */
const delivery: Fixture = {
  make: async (api, shop, livemode) => {
    const id = await sendTest(api, shop, await endpointOf(api, shop, livemode))
    await api.actors.dispatch({ kind: 'delivery', actor: id, event: { type: 'cancel' } })
    return encodeId('whd', id)
  },
}

/** By method and path: every route with an id must be listed. */
const fixtures: Readonly<Record<string, Fixture>> = {
  'POST /v1/merchants/:merchantId/api-keys/:id/rotate': key,
  'POST /v1/merchants/:merchantId/api-keys/:id/revoke': key,
  'PATCH /v1/merchants/:merchantId/members/:id': { ...memberFixture, body: { role: 'developer' } },
  'DELETE /v1/merchants/:merchantId/members/:id': memberFixture,
  'DELETE /v1/merchants/:merchantId/invites/:id': invitation,
  'DELETE /v1/auth/sessions/:id': session,
  'GET /v1/payment-links/:id': paymentLink,
  'POST /v1/payment-links/:id/deactivate': paymentLink,
  'GET /v1/merchants/:merchantId/payment-links/:id': paymentLink,
  'POST /v1/merchants/:merchantId/payment-links/:id/deactivate': paymentLink,
  'GET /v1/payments/:id': payment('success'),
  'GET /v1/merchants/:merchantId/payments/:id': payment('success'),
  'POST /v1/merchants/:merchantId/payments/:id/cancel': payment('picked'),
  'POST /v1/merchants/:merchantId/payments/:id/resolve': { ...payment('late'), body: { action: 'accept' } },
  'POST /v1/payments/:id/refunds': payment('success'),
  'POST /v1/merchants/:merchantId/payments/:id/refunds': payment('success'),
  'GET /v1/refunds/:id': refund,
  'GET /v1/merchants/:merchantId/refunds/:id': refund,
  'POST /v1/merchants/:merchantId/refunds/:id/cancel': refund,
  'POST /v1/merchants/:merchantId/refunds/:id/transaction': signableRefund,
  'GET /v1/merchants/:merchantId/refunds/:id/payment-uri': signableRefund,
  // No transfer was seen for it.
  'POST /v1/merchants/:merchantId/refunds/:id/resolve': { ...refund, body: { action: 'dismiss' }, status: 409 },
  // It has not failed.
  'POST /v1/merchants/:merchantId/refunds/:id/retry': { ...refund, status: 409 },
  'POST /v1/payments/:id/disputes': { ...payment('success'), body: { reason: 'general' } },
  'POST /v1/merchants/:merchantId/payments/:id/disputes': { ...payment('success'), body: { reason: 'general' } },
  'GET /v1/disputes/:id': dispute(false),
  'GET /v1/merchants/:merchantId/disputes/:id': dispute(false),
  'POST /v1/disputes/:id/evidence': dispute(false),
  'POST /v1/merchants/:merchantId/disputes/:id/evidence': dispute(false),
  'POST /v1/disputes/:id/resolve': { ...dispute(true), body: { outcome: 'won' } },
  'POST /v1/merchants/:merchantId/disputes/:id/resolve': { ...dispute(true), body: { outcome: 'won' } },
  'POST /v1/sandbox/test-clocks': { make: async () => '' },
  'GET /v1/sandbox/test-clocks/:id': testClock,
  'DELETE /v1/sandbox/test-clocks/:id': testClock,
  'POST /v1/sandbox/test-clocks/:id/advance': {
    ...testClock,
    body: { to: new Date(Date.now() + 86_400_000).toISOString() },
  },
  'POST /v1/merchants/:merchantId/test-clocks': { make: async () => '' },
  'GET /v1/merchants/:merchantId/test-clocks/:id': testClock,
  'POST /v1/merchants/:merchantId/test-clocks/:id/advance': {
    ...testClock,
    body: { to: new Date(Date.now() + 86_400_000).toISOString() },
  },
  'POST /v1/sandbox/payments/:id/simulate': { ...payment('picked'), body: { scenario: 'paid' }, status: 503 },
  'POST /v1/merchants/:merchantId/payments/:id/simulate': {
    ...payment('picked'),
    ...{ body: { scenario: 'paid' }, status: 503 },
  },
  // There is no customer to merge it into.
  'POST /v1/merchants/:merchantId/customers/:id/merge': {
    ...customer,
    ...{ body: { intoId: encodeId('cus', crypto.randomUUID()) }, status: 404 },
  },
  'POST /v1/merchants/:merchantId/customers/:id/erase': customer,
  'POST /v1/merchants/:merchantId/customers/:id/credit': {
    ...customer,
    body: { currency: 'EUR', amountMinor: 100, note: 'Goodwill' },
  },
  ...Object.fromEntries(
    ['/v1', '/v1/merchants/:merchantId'].flatMap(surface => [
      [`POST ${surface}/invoices`, { make: async () => '', body: aDraft }],
      [`GET ${surface}/invoices/:id`, invoice(true)],
      [`PATCH ${surface}/invoices/:id`, { ...invoice(false), body: { reference: 'order 7' } }],
      [`DELETE ${surface}/invoices/:id`, invoice(false)],
      [`POST ${surface}/invoices/:id/finalize`, invoice(false)],
      [`POST ${surface}/invoices/:id/uncollectible`, invoice(true)],
      [`POST ${surface}/invoices/:id/void`, invoice(true)],
      [`POST ${surface}/invoices/:id/remind`, invoice(true)],
      [`POST ${surface}/invoices/:id/duplicate`, invoice(true)],
      [`POST ${surface}/invoices/:id/rotate-url`, invoice(true)],
      [`GET ${surface}/invoices/:id/document`, invoice(true)],
      [`POST ${surface}/credit-notes`, { make: async () => '', body: aCreditNote }],
      [`GET ${surface}/credit-notes/:id`, creditNote],
      [`GET ${surface}/credit-notes/:id/document`, creditNote],
      [`POST ${surface}/plans`, { make: async () => '', body: aPlan }],
      [`GET ${surface}/plans/:id`, plan],
      [`PATCH ${surface}/plans/:id`, { ...plan, body: { name: 'Lamp club' } }],
      [`POST ${surface}/plans/:id/archive`, plan],
      [`POST ${surface}/subscriptions`, { make: async () => '', body: aSubscription }],
      [`GET ${surface}/subscriptions/:id`, subscription()],
      [`PATCH ${surface}/subscriptions/:id`, { ...subscription(), body: { graceDays: 3 } }],
      [`POST ${surface}/subscriptions/:id/cancel`, { ...subscription(), body: { at: 'now' } }],
      [`POST ${surface}/subscriptions/:id/uncancel`, subscription('cancel_at_end')],
      [`POST ${surface}/subscriptions/:id/pause`, { ...subscription('begin'), body: { resumesAt: null } }],
      [`POST ${surface}/subscriptions/:id/resume`, subscription('pause')],
      [`POST ${surface}/subscriptions/:id/change`, { ...subscription(), body: { lines: [aLamp] } }],
      [`GET ${surface}/subscriptions/:id/invoices`, subscription()],
      [`GET ${surface}/subscriptions/:id/preview`, subscription()],
      [`POST ${surface}/subscriptions/:id/rotate-url`, { ...subscription(), body: {} }],
    ]),
  ),
  ...Object.fromEntries(
    exportNames
      .filter(name => name !== 'balances')
      .flatMap(name => formats.map(format => [`GET /v1/merchants/:merchantId/exports/${name}.${format}`, anExport])),
  ),
  'POST /v1/merchants/:merchantId/exports': {
    make: async () => '',
    body: { ...aRange, kind: 'payments', format: 'csv' },
  },
  'GET /v1/exports/:token': exportDownload,
  'GET /v1/checkout/links/:linkId': paymentLink,
  'POST /v1/checkout/plans/:planId/subscriptions': { ...plan, body: { customerEmail: 'ada@example.com' } },
  'GET /v1/checkout/invoices/:token': invoicePage,
  'GET /v1/checkout/invoices/:token/document': invoicePage,
  // Without a credit note.
  'GET /v1/checkout/invoices/:token/credit-notes/:id/document': { ...invoicePage, status: 404 },
  'POST /v1/checkout/invoices/:token/payments': invoicePage,
  // A stream with the right token would never end.
  'GET /v1/checkout/invoices/:token/stream': { make: async () => 'x'.repeat(22), status: 404 },
  'GET /v1/checkout/subscriptions/:token': subscriptionPage,
  'GET /v1/checkout/subscriptions/:token/stream': { make: async () => 'x'.repeat(22), status: 404 },
  'POST /v1/checkout/links/:linkId/payments': { ...paymentLink, body: { customerEmail: 'ada@example.com' } },
  'GET /v1/checkout/payments/:id': checkout,
  'POST /v1/checkout/payments/:id/asset': { ...checkout, body: { chainId: 31337, asset: 'TUSD' }, status: 422 },
  'POST /v1/checkout/payments/:id/simulate': { ...checkout, body: { scenario: 'paid' }, status: 503 },
  'POST /v1/checkout/payments/:id/transaction': { ...checkout, body: { txHash: `0x${'a'.repeat(64)}` } },
  'GET /v1/checkout/payments/:id/stream': { make: checkout.make, status: 404 },
  'GET /v1/events/:id': event,
  'GET /v1/merchants/:merchantId/events/:id': event,
  'GET /v1/merchants/:merchantId/webhook-endpoints/:id': endpoint,
  'GET /v1/merchants/:merchantId/webhook-endpoints/:id/inbox': inbox,
  'PATCH /v1/merchants/:merchantId/webhook-endpoints/:id': { ...endpoint, body: { description: 'Shop' } },
  'DELETE /v1/merchants/:merchantId/webhook-endpoints/:id': endpoint,
  'POST /v1/merchants/:merchantId/webhook-endpoints/:id/enable': endpoint,
  'POST /v1/merchants/:merchantId/webhook-endpoints/:id/rotate-secret': endpoint,
  'POST /v1/merchants/:merchantId/webhook-endpoints/:id/test': endpoint,
  'GET /v1/merchants/:merchantId/webhook-endpoints/:id/deliveries': endpoint,
  'POST /v1/merchants/:merchantId/webhook-endpoints/:id/recover': {
    ...endpoint,
    body: { since: new Date().toISOString() },
  },
  'GET /v1/merchants/:merchantId/deliveries/:id': delivery,
  'POST /v1/merchants/:merchantId/deliveries/:id/redeliver': delivery,
  'GET /v1/merchants/:merchantId/payment-links/:id/history': paymentLink,
  'GET /v1/merchants/:merchantId/payments/:id/history': payment('success'),
  'GET /v1/merchants/:merchantId/refunds/:id/history': refund,
  'GET /v1/merchants/:merchantId/disputes/:id/history': dispute(false),
  'GET /v1/merchants/:merchantId/invoices/:id/history': invoice(true),
  'GET /v1/merchants/:merchantId/deliveries/:id/history': delivery,
  'GET /v1/ops/audits/:id': {
    make: async ({ sql }) => {
      const [row] = await sql<{ id: string }[]>`
        insert into audits (status, started_by, finished_at) values ('clean', 'schedule', now()) returning id`
      return row?.id ?? ''
    },
  },
  'GET /v1/ops/machines/:kind': { make: async () => 'payment' },
  'GET /v1/ops/actors/:id': payment('success'),
  'GET /v1/ops/actors/:id/transitions': payment('success'),
  'GET /v1/ops/actors/:id/story': payment('success'),
  'POST /v1/ops/actors/:id/preview': { ...payment('new'), body: { type: 'cancel' } },
  'POST /v1/ops/actors/:id/events': { ...payment('late'), body: { type: 'dismiss', reason: 'A test' } },
}

export const fixtureOf = ({ method, path }: Pick<Route, 'method' | 'path'>): Fixture | undefined =>
  fixtures[`${method} ${path}`] ?? createdBy(path)

/** For a resource that its machine creates alone: created with the input of the machine's tests. */
const createdBy = (path: string): Fixture | undefined => {
  const segment = /([\w-]+)\/:id/.exec(path)?.[1]
  const [resource] = machineRows.filter(([, row]) => row.path === segment)
  const subject = subjects.find(({ kind }) => kind.name === resource?.[0])?.subject
  if (!resource || !subject) return undefined
  const [kind, { prefix }] = resource
  // The series of this year may be that of an invoice.
  const elsewhere = kind === 'document_series' ? { year: 2091 } : {}
  return {
    make: async (api, { merchantId }, livemode) => {
      const actor = crypto.randomUUID()
      const outcome = await api.actors.dispatch({
        kind,
        actor,
        create: { ...subject.input, ...elsewhere, merchantId, livemode },
      })
      if (!outcome.ok) throw new Error(`a ${kind} was refused: ${outcome.refusal}`)
      return encodeId(prefix, actor)
    },
  }
}

const machineRows = Object.entries(resources).flatMap(([name, row]) =>
  'isMachine' in row ? [[name, row] as const] : [],
)
