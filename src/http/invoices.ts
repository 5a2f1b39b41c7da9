import { type } from 'arktype'
import type { Invoice } from '../../machines/invoice-events.ts'
import { endOfDay, isDay } from '../billing/days.ts'
import { changeInvoice, createInvoice, deleteInvoice } from '../commands/invoices.ts'
import { refuse } from '../errors.ts'
import { invoiceStatus } from '../kinds/invoice-record.ts'
import { findBillingSettings } from '../queries/billing-settings.ts'
import { type InvoiceFilter, listInvoices } from '../queries/invoice-lists.ts'
import { findInvoice } from '../queries/invoices.ts'
import type { Api } from './api.ts'
import { findClockId } from './customers.ts'
import {
  createInvoiceDocs,
  deleteInvoiceDocs,
  getInvoiceDocs,
  listInvoicesDocs,
  updateInvoiceDocs,
} from './docs/invoices.ts'
import { answerIdempotently } from './idempotency.ts'
import { changesIn, customerIn, invoiceChange, newInvoice } from './invoice-body.ts'
import { readInvoiceFor, withoutUrl } from './invoice-facts.ts'
import { listOf, listQuery, placedPage } from './list.ts'
import { dayOrTime } from './moment.ts'
import { withPageUrl } from './page-urls.ts'
import { requirePayable } from './payment-links.ts'
import { recordId, recordKey } from './record-id.ts'
import type { Parsed, Route } from './route.ts'
import { invoicePages } from './secret-pages.ts'
import { onCollection, onItem } from './surfaces.ts'
import { boundedText } from './text.ts'

/** Exports have the filters of the list too. */
export const invoiceFilters = () =>
  type({
    'status?': invoiceStatus().array().atMostLength(10),
    'customerId?': recordId('cus'),
    'subscriptionId?': recordId('sub'),
    'number?': boundedText(1, 200),
    'overdue?': "'true'",
    'dueBefore?': dayOrTime(),
    'reference?': boundedText(1, 200),
  })

const reads = { scope: 'billing:read' } as const
const writes = { scope: 'billing:write' } as const

export const invoiceRoutes: readonly Route[] = [
  ...onCollection('POST', writes, {
    path: '/invoices',
    docs: createInvoiceDocs,
    body: newInvoice,
    handle: (api, call) => {
      const { owner, body, cause } = call
      return answerIdempotently<Invoice>(api, call, {
        work: async responseRows => {
          const named = customerIn(body) ?? refuse('parameter_missing', { param: 'customerId' })
          const { customerId: _, customer: __, testClockId, finalize = false, ...fields } = body
          const customer = {
            ...named,
            ...(testClockId !== undefined && { testClockId: await findClockId(api, owner, testClockId) }),
          }
          requirePayable(api, { livemode: owner.livemode, currency: fields.currency, assets: fields.assets ?? null })
          return createInvoice(api, { owner, customer, fields, finalize }, { cause, responseRows })
        },
        answer: invoice => ({ status: 201, body: withoutUrl(invoice) }),
        reveal: stored => withPageUrl(api, invoicePages, owner, stored),
      })
    },
  }),

  ...onCollection('GET', reads, {
    path: '/invoices',
    docs: listInvoicesDocs,
    query: () => listQuery().merge(invoiceFilters()),
    handle: async (api, call) => {
      const { owner, query } = call
      const page = await placedPage(api.sql, 'invoice', owner, query)
      const invoices = await listInvoices(api.sql, owner, await invoiceFilterOf(api, owner.merchantId, query), page)
      return { status: 200, body: listOf(invoices, query.limit, readInvoiceFor(api, call)) }
    },
  }),

  ...onItem('GET', reads, {
    path: '/invoices/:id',
    docs: getInvoiceDocs,
    handle: async (api, call) => {
      const invoice = (await findInvoice(api.sql, recordKey('inv', call))) ?? refuse('resource_not_found')
      return { status: 200, body: readInvoiceFor(api, call)(invoice) }
    },
  }),

  ...onItem('PATCH', writes, {
    path: '/invoices/:id',
    docs: updateInvoiceDocs,
    body: invoiceChange,
    handle: async (api, call) => {
      const key = recordKey('inv', call)
      const invoice = (await findInvoice(api.sql, key)) ?? refuse('resource_not_found')
      const { livemode, currency, assets } = invoice.context
      requirePayable(api, {
        ...{ livemode, currency: call.body.currency ?? currency },
        assets: call.body.assets === undefined ? assets : call.body.assets,
      })
      const changes = { ...changesIn(call.body), customer: customerIn(call.body) }
      return { status: 200, body: readInvoiceFor(api, call)(await changeInvoice(api, key, changes, call.cause)) }
    },
  }),

  ...onItem('DELETE', writes, {
    path: '/invoices/:id',
    docs: deleteInvoiceDocs,
    handle: async (api, call) => {
      await deleteInvoice(api, recordKey('inv', call), call.cause)
      return { status: 204 }
    },
  }),
]

export const invoiceFilterOf = async (
  api: Pick<Api, 'sql'>,
  merchantId: string,
  { status, overdue, dueBefore, customerId, subscriptionId, number, reference }: Parsed<typeof invoiceFilters>,
): Promise<InvoiceFilter> => ({
  ...{ statuses: status && [...new Set(status)], customerId, subscriptionId, number, reference },
  overdue: overdue !== undefined,
  dueBefore: await beginningOf(api, merchantId, dueBefore),
})

/** What is due before a day: the due time of an invoice is the last millisecond of its due date in the time zone. */
const beginningOf = async (
  { sql }: Pick<Api, 'sql'>,
  merchantId: string,
  dayOrTime: string | undefined,
): Promise<Date | undefined> => {
  if (dayOrTime === undefined || !isDay(dayOrTime)) return dayOrTime === undefined ? undefined : new Date(dayOrTime)
  const settings = await findBillingSettings(sql, merchantId)
  return endOfDay(settings?.time_zone ?? 'UTC', dayOrTime)
}
