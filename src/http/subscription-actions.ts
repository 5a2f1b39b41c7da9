import { type } from 'arktype'
import type { Subscription, SubscriptionChanges } from '../../machines/subscription-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Requester } from '../commands/by.ts'
import type { InvoiceServices } from '../commands/finalizations.ts'
import {
  cancelSubscription,
  changePrice,
  type PriceRequest,
  pauseSubscription,
  resumeSubscription,
  uncancelSubscription,
  updateSubscription,
} from '../commands/subscription-actions.ts'
import { previewInvoice } from '../commands/subscription-invoices.ts'
import { refuse } from '../errors.ts'
import { idOf } from '../fields/wire.ts'
import { decodeId } from '../ids.ts'
import { listInvoices } from '../queries/invoice-lists.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { findSubscription } from '../queries/subscriptions.ts'
import { invoicePreviewRecord } from '../records/invoice-preview.ts'
import type { Docs } from './docs/docs.ts'
import {
  cancelSubscriptionDocs,
  changeSubscriptionDocs,
  listSubscriptionInvoicesDocs,
  pauseSubscriptionDocs,
  previewSubscriptionDocs,
  resumeSubscriptionDocs,
  uncancelSubscriptionDocs,
  updateSubscriptionDocs,
} from './docs/subscription-actions.ts'
import { answerIdempotently } from './idempotency.ts'
import { soldLine } from './invoice-body.ts'
import { readInvoiceFor } from './invoice-facts.ts'
import { listOf, listQuery, placedPage } from './list.ts'
import { metadata } from './metadata.ts'
import { moment } from './moment.ts'
import { mostDays } from './plans.ts'
import { recordKey } from './record-id.ts'
import type { Declared, Parsed, Route } from './route.ts'
import { readSubscriptionFor, withSubscriptionUrl } from './subscriptions.ts'
import { onItem } from './surfaces.ts'
import { shownText } from './text.ts'

const reads = { scope: 'billing:read' } as const
const writes = { scope: 'billing:write' } as const

type Work<Body> = (
  services: InvoiceServices,
  key: RecordKey,
  requester: Requester<Subscription>,
  body: Body,
) => Promise<Actor<Subscription>>

const action = <Body extends Declared = undefined>(
  name: string,
  { docs, body, work }: { readonly docs: Docs; readonly body?: Body; readonly work: Work<Parsed<Body>> },
): readonly Route[] =>
  onItem('POST', writes, {
    path: `/subscriptions/:id/${name}` as '/subscriptions/:id/cancel',
    docs,
    ...(body && { body }),
    handle: (api, call) =>
      answerIdempotently<Subscription>(api, call, {
        work: responseRows =>
          work(api, recordKey('sub', call), { cause: call.cause, responseRows }, call.body as Parsed<Body>),
        ...withSubscriptionUrl(api, call, 200),
      }),
  })

const newPrice = () => type({ 'planId?': idOf('plan'), 'lines?': soldLine().array().atLeastLength(1).atMostLength(20) })

const changes = () =>
  type({
    'metadata?': metadata(),
    'reference?': shownText(1, 200).or('null'),
    'graceDays?': mostDays,
    'leadDays?': mostDays,
    'verified?': 'boolean',
  })

export const subscriptionActionRoutes: readonly Route[] = [
  ...onItem('PATCH', writes, {
    path: '/subscriptions/:id',
    docs: updateSubscriptionDocs,
    body: changes,
    handle: async (api, call) => {
      const sent: SubscriptionChanges = call.body
      const updated = await updateSubscription(api, recordKey('sub', call), sent, call.cause)
      return { status: 200, body: readSubscriptionFor(api, call)(updated) }
    },
  }),

  ...action('cancel', {
    docs: cancelSubscriptionDocs,
    body: () => type({ at: type("'period_end' | 'now'").default('period_end') }),
    work: (services, key, requester, { at }) => cancelSubscription(services, key, at, requester),
  }),
  ...action('uncancel', { docs: uncancelSubscriptionDocs, work: uncancelSubscription }),
  ...action('pause', {
    docs: pauseSubscriptionDocs,
    body: () => type({ 'resumesAt?': moment().or('null') }),
    work: (services, key, requester, { resumesAt = null }) =>
      pauseSubscription(services, key, resumesAt === null ? null : new Date(resumesAt), requester),
  }),
  ...action('resume', { docs: resumeSubscriptionDocs, work: resumeSubscription }),
  ...action('change', {
    docs: changeSubscriptionDocs,
    body: newPrice,
    work: (services, key, requester, body) => changePrice(services, key, priceIn(body), requester),
  }),

  ...onItem('GET', reads, {
    path: '/subscriptions/:id/invoices',
    docs: listSubscriptionInvoicesDocs,
    query: listQuery,
    handle: async (api, call) => {
      const { id, context } = (await findSubscription(api.sql, recordKey('sub', call))) ?? refuse('resource_not_found')
      const { merchantId, livemode } = context
      const owner = { merchantId, livemode }
      const page = await placedPage(api.sql, 'invoice', owner, call.query)
      const filter = { ...anyInvoice, subscriptionId: id }
      const invoices = await listInvoices(api.sql, owner, filter, page)
      return { status: 200, body: listOf(invoices, call.query.limit, readInvoiceFor(api, call)) }
    },
  }),

  ...onItem('GET', reads, {
    path: '/subscriptions/:id/preview',
    docs: previewSubscriptionDocs,
    handle: async (api, call) => {
      return { status: 200, body: invoicePreviewRecord.render(await previewInvoice(api, recordKey('sub', call))) }
    },
  }),
]

const anyInvoice = {
  ...{ statuses: undefined, customerId: undefined, number: undefined, reference: undefined },
  ...{ overdue: false, dueBefore: undefined },
}

const priceIn = ({ planId, lines }: Parsed<typeof newPrice>): PriceRequest => {
  if (planId !== undefined && lines !== undefined)
    refuse('parameter_invalid', { param: 'lines', message: 'lines and planId exclude each other.' })
  if (lines !== undefined) return { lines }
  if (planId === undefined)
    return refuse('parameter_missing', { param: 'planId', message: 'planId or lines is required.' })
  return { planId: decodeId('plan', planId) ?? refuse('resource_not_found', { param: 'planId' }) }
}
