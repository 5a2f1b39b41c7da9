import { type Type, type } from 'arktype'
import type { ActorRow } from '../../actors/rows.ts'
import { refuse } from '../../errors.ts'
import type { Shape } from '../../fields/shape.ts'
import { creditNoteRowList, readCreditNote } from '../../queries/credit-notes.ts'
import { customerRowList } from '../../queries/customer-lists.ts'
import { readShownCustomer, type ShownCustomerRow } from '../../queries/customers.ts'
import type { ExportRange } from '../../queries/exports.ts'
import { invoiceRowList } from '../../queries/invoice-lists.ts'
import { readInvoice } from '../../queries/invoices.ts'
import type { CommonFilter } from '../../queries/list-filters.ts'
import type { ListOwner, RowList } from '../../queries/list-rows.ts'
import { type MerchantsPayment, type MerchantsRow, paymentRowList, readMerchants } from '../../queries/payments.ts'
import { readRefund, refundRowList } from '../../queries/refunds.ts'
import { readSubscription, subscriptionRowList } from '../../queries/subscriptions.ts'
import { creditNoteReadRecord } from '../../records/credit-note.ts'
import { customerReadRecord } from '../../records/customer.ts'
import { invoiceReadRecord } from '../../records/invoice.ts'
import { paymentReadRecord } from '../../records/payment.ts'
import { refundReadRecord } from '../../records/refund.ts'
import { balanceShape } from '../../records/shapes/collection.ts'
import { subscriptionReadRecord } from '../../records/subscription.ts'
import type { Api } from '../api.ts'
import { readBalances } from '../balances.ts'
import { creditNoteFilters } from '../credit-notes.ts'
import { customerFilterOf, customerFilters, shownCustomer } from '../customers.ts'
import { readInvoiceFor } from '../invoice-facts.ts'
import { invoiceFilterOf, invoiceFilters } from '../invoices.ts'
import { attentionFilter, paymentFilterOf, paymentFilters, paymentRecordIn } from '../payments.ts'
import { refundFactsFor } from '../refund-facts.ts'
import { refundFilterOf, refundFilters } from '../refunds.ts'
import type { Parsed } from '../route.ts'
import { readSubscriptionFor, subscriptionFilterOf, subscriptionFilters } from '../subscriptions.ts'

/** What can be exported: a list, with its filters, its rows and its records as the list has them. */
export type ExportKind = {
  readonly record: Shape
  /** Fields that are null in every export: addresses that contain a secret, and what a wallet signs. CSV files leave them out. */
  readonly secrets: readonly string[]
  /** Without those of the page and of the range. */
  readonly filters: () => Type
} & (RowsOfKind | WholeKind)

type RowsOfKind = {
  /** The SQL of `api` is that of the snapshot. */
  readonly list: (api: Api, owner: ListOwner, query: never, range: ExportRange) => RowList | Promise<RowList>
  readonly records: (
    api: Api,
    owner: ListOwner,
    rows: readonly ActorRow[],
  ) => readonly object[] | Promise<readonly object[]>
}

/** A short list that does not come from the database. It has no range. */
type WholeKind = { readonly all: (api: Api, owner: ListOwner) => Promise<readonly object[]> }

/**
 * Exports show records as a viewer sees them: without the addresses of pages that contain a secret, and without the party of an
 * erased customer, whatever the role of the caller is. A file is passed on.
 */
const asViewer = ({ merchantId }: ListOwner) => ({ member: { merchantId, role: 'viewer' as const } })

/** Searches only the part of the list in which rows of this time can be. */
const within = (filter: CommonFilter, { from, to }: ExportRange) => ({
  createdAfter: filter.createdAfter && filter.createdAfter > from ? filter.createdAfter : from,
  createdBefore: filter.createdBefore && filter.createdBefore < to ? filter.createdBefore : to,
})

/**
 * Confirmations go on rising with the chain, without a change of the payment: two exports would differ in every paid payment.
 * An export counts as many as the payment requires.
 */
const withRequiredConfirmations = (found: MerchantsPayment): MerchantsPayment => {
  const { confirmationsRequired } = found.payment.context
  if (found.shown?.head == null || confirmationsRequired === null) return found
  const { head, transfers } = found.shown
  const latest = Math.max(0, ...transfers.map(({ block_number }) => block_number))
  return { ...found, shown: { transfers, head: Math.min(head, latest + confirmationsRequired - 1) } }
}

const memberPaymentFilters = () => paymentFilters().and(attentionFilter())
const memberRefundFilters = () => refundFilters().and(attentionFilter())

export const exportKinds = {
  payments: {
    record: paymentReadRecord,
    secrets: ['receiptUrl'],
    filters: memberPaymentFilters,
    list: ({ sql }: Api, owner: ListOwner, query: Parsed<typeof memberPaymentFilters>, range: ExportRange) => {
      const filter = paymentFilterOf(query)
      return paymentRowList(sql, owner, { ...filter, ...within(filter, range) })
    },
    records: (api, owner, rows) => {
      const recordOf = paymentRecordIn(api, asViewer(owner))
      return rows.map(row => recordOf(withRequiredConfirmations(readMerchants(row as MerchantsRow))))
    },
  },
  refunds: {
    record: refundReadRecord,
    secrets: ['claimUrl', 'unsignedTransaction'],
    filters: memberRefundFilters,
    list: (api: Api, owner: ListOwner, query: Parsed<typeof memberRefundFilters>, range: ExportRange) => {
      const filter = refundFilterOf(api, query)
      return refundRowList(api.sql, owner, { ...filter, ...within(filter, range) })
    },
    records: async (api, owner, rows) => {
      const refunds = rows.map(readRefund)
      const factsOf = await refundFactsFor(api, asViewer(owner), refunds)
      return refunds.map(refund => refundReadRecord.render(refund, factsOf(refund)))
    },
  },
  invoices: {
    record: invoiceReadRecord,
    secrets: ['url'],
    filters: invoiceFilters,
    list: async (api: Api, owner: ListOwner, query: Parsed<typeof invoiceFilters>) =>
      invoiceRowList(api.sql, owner, await invoiceFilterOf(api, owner.merchantId, query)),
    records: (api, owner, rows) => {
      const recordOf = readInvoiceFor(api, asViewer(owner))
      return rows.map(row => recordOf(readInvoice(row)))
    },
  },
  'credit-notes': {
    record: creditNoteReadRecord,
    secrets: [],
    filters: creditNoteFilters,
    list: ({ sql }: Api, owner: ListOwner, { invoiceId, customerId }: Parsed<typeof creditNoteFilters>) =>
      creditNoteRowList(sql, owner, { invoiceId, customerId }),
    records: (_, __, rows) => rows.map(row => creditNoteReadRecord.render(readCreditNote(row))),
  },
  subscriptions: {
    record: subscriptionReadRecord,
    secrets: ['url'],
    filters: subscriptionFilters,
    list: ({ sql }: Api, owner: ListOwner, query: Parsed<typeof subscriptionFilters>) =>
      subscriptionRowList(sql, owner, subscriptionFilterOf(query)),
    records: (api, owner, rows) => {
      const recordOf = readSubscriptionFor(api, asViewer(owner))
      return rows.map(row => recordOf(readSubscription(row)))
    },
  },
  customers: {
    record: customerReadRecord,
    secrets: [],
    filters: customerFilters,
    list: ({ sql }: Api, owner: ListOwner, query: Parsed<typeof customerFilters>) =>
      customerRowList(sql, owner, customerFilterOf(query)),
    records: (_, __, rows) => rows.map(row => shownCustomer(readShownCustomer(row as ShownCustomerRow))),
  },
  balances: {
    record: balanceShape,
    secrets: [],
    filters: () => type({}),
    all: async (api, owner) => {
      const { data, more, away } = await readBalances(api, owner, { timeoutMs: 30_000, most: MOST_ADDRESSES })
      // A file without a chain would look complete.
      if (away.length > 0) refuse('chain_unavailable', { retryAfter: 5, details: { unavailable: away } })
      if (more)
        refuse('state_conflict', { message: `More than ${MOST_ADDRESSES} addresses hold money. Collect it first.` })
      return data
    },
  },
} satisfies Readonly<Record<string, ExportKind>>

export type ExportName = keyof typeof exportKinds

export const exportNames = Object.keys(exportKinds) as ExportName[]

/** Ten times as many as a page of the list. */
const MOST_ADDRESSES = 20_000
