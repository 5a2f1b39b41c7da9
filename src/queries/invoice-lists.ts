import { invoiceMachine } from '../../machines/invoice.ts'
import type { Invoice } from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import type { Sql } from '../postgres/connect.ts'
import { invoiceColumns, readInvoice } from './invoices.ts'
import { filtersOf, type ListOwner, type ListPart, listRows, ownedBy, partsByState, type RowList } from './list-rows.ts'
import type { Page, PageFrom } from './page.ts'
import { listMergedIds } from './payments.ts'

export type InvoiceFilter = {
  readonly statuses: readonly string[] | undefined
  /** With the invoices of customers that were merged into it. */
  readonly customerId: string | undefined
  readonly subscriptionId: string | undefined
  readonly number: string | undefined
  readonly reference: string | undefined
  /** Only invoices that are overdue. */
  readonly overdue: boolean
  /** Exclusive. */
  readonly dueBefore: Date | undefined
}

/** Without deleted drafts. */
export const listInvoices = async (
  sql: Sql,
  owner: ListOwner,
  filter: InvoiceFilter,
  page: Page,
): Promise<Actor<Invoice>[]> => {
  const rows = await listRows<ActorRow>(sql, { ...(await invoiceRowList(sql, owner, filter)), page })
  return rows.map(readInvoice)
}

export const invoiceRowList = async (sql: Sql, owner: ListOwner, filter: InvoiceFilter): Promise<RowList> => {
  const { statuses, customerId, subscriptionId, number, reference, overdue, dueBefore } = filter
  const customerIds = customerId === undefined ? undefined : await listMergedIds(sql, customerId)
  const filters = sql`
    and state <> 'deleted' ${filtersOf(sql, { number, reference })}
    ${statuses ? sql`and state = any(${[...statuses]}::text[])` : sql``}
    ${customerIds ? sql`and customer_id = any(${[...customerIds]}::uuid[])` : sql``}
    ${subscriptionId === undefined ? sql`` : sql`and subscription_id = ${subscriptionId}`}
    ${overdue ? sql`and overdue` : sql``}
    ${dueBefore ? sql`and due_at < ${dueBefore}` : sql``}`
  const parts = partsOf(sql, owner, filter, customerIds)
  return { table: 'invoices', owner, columns: invoiceColumns(sql), filters, ...(parts && { parts }) }
}

/** The index that returns the fewest rows beside those that are wanted. */
const partsOf = (
  sql: Sql,
  owner: ListOwner,
  { statuses, subscriptionId, number, reference, overdue, dueBefore }: InvoiceFilter,
  customerIds: readonly string[] | undefined,
): readonly ListPart[] | undefined => {
  if (subscriptionId !== undefined) return [sql`subscription_id = ${subscriptionId}`]
  if (number !== undefined) return [{ few: sql`${ownedBy(sql, owner)} and number = ${number}` }]
  if (reference !== undefined) return [{ few: sql`${ownedBy(sql, owner)} and reference = ${reference}` }]
  if (customerIds) return customerIds.map(id => sql`customer_id = ${id}`)
  if (overdue) return undefined
  const walked = statuses && partsByState(sql, statuses)
  if (!dueBefore) return walked
  const due = sql`due_at < ${dueBefore}`
  const candidates = sql`select id from invoices where ${ownedBy(sql, owner)} and ${due}`
  return [{ candidates, few: sql`id in (select id from candidates)`, many: due, walked }]
}

/** The states that lists show. */
export const invoiceStates = Object.keys(invoiceMachine.states).filter(state => state !== 'deleted')

/** A document in the chain of its series. */
export type ChainedDocument = {
  readonly id: string
  readonly number: string
  readonly documentHash: string
  readonly previousDocumentHash: string | null
}

/** The place of a document: the year of its series, which is 0 if numbers do not restart, and its number in it. */
export type ChainPlace = { readonly year: number; readonly sequence: number }

/** The tables of the documents that have numbers. */
const documentTables = { invoice: 'invoices', credit_note: 'credit_notes' } as const

export type DocumentChain = {
  readonly documentKind: 'invoice' | 'credit_note'
  /** Undefined: of all series. */
  readonly year: number | undefined
}

/** The documents of one kind in the order of their numbers, with one more than the page. Without those of test clocks. */
export const listDocumentChain = async (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  { documentKind, year }: DocumentChain,
  { after, limit, order }: PageFrom<ChainPlace>,
): Promise<ChainedDocument[]> => {
  const [here, direction] = order === 'asc' ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`]
  return sql<ChainedDocument[]>`
    select i.id, i.number, i.document_hash as "documentHash", i.previous_document_hash as "previousDocumentHash"
    from document_series s
    cross join lateral (
      select id, number, sequence, document_hash, previous_document_hash
      from ${sql(documentTables[documentKind])}
      where series_id = s.id
        ${year === undefined ? sql`` : sql`and (s.year = ${year} or left(issue_date, 4) = ${String(year)})`}
        ${after ? sql`and (s.year, sequence) ${here} (${after.year}, ${after.sequence})` : sql``}
      order by sequence ${direction}
      limit ${limit + 1}) i
    where s.merchant_id = ${merchantId} and s.livemode = ${livemode} and s.document_kind = ${documentKind}
      and s.test_clock_id is null
      ${year === undefined ? sql`` : sql`and s.year in (0, ${year})`}
    order by s.year ${direction}, i.sequence ${direction}
    limit ${limit + 1}`
}

/** Where a document is in the chain, if it is one of this owner and kind. */
export const findChainPlace = async (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  documentKind: DocumentChain['documentKind'],
  id: string,
): Promise<ChainPlace | undefined> => {
  const [row] = await sql<ChainPlace[]>`
    select s.year, i.sequence
    from ${sql(documentTables[documentKind])} i join document_series s on s.id = i.series_id
    where i.id = ${id} and i.merchant_id = ${merchantId} and i.livemode = ${livemode} and s.document_kind = ${documentKind}
      and s.test_clock_id is null`
  return row
}
