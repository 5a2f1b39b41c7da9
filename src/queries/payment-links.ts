import type { PaymentLink } from '../../machines/payment-link.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { decodeId } from '../ids.ts'
import { paymentLinkKind } from '../kinds/payment-link.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { type CommonFilter, commonFilters, findSeqBounds } from './list-filters.ts'
import { filtersOf, type ListOwner, type ListPart, listRows, ownedBy, partsByState } from './list-rows.ts'
import type { Page } from './page.ts'
import { finderOf, type RecordKey } from './record-finder.ts'

const readLink = readerOf(paymentLinkKind)
const findRow = finderOf<ActorRow>('payment_links')

export const findPaymentLink = async (sql: Sql, key: RecordKey): Promise<Actor<PaymentLink> | undefined> => {
  const row = await findRow(sql, key)
  return row && readLink(row)
}

export const findPaymentLinkByReference = async (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  reference: string,
): Promise<Actor<PaymentLink> | undefined> => {
  const [row] = await sql<ActorRow[]>`
    select * from payment_links
    where merchant_id = ${merchantId} and livemode = ${livemode} and reference = ${reference}`
  return row && readLink(row)
}

export type PaymentLinkFilter = CommonFilter & {
  readonly reference: string | undefined
  /** The links of invoices instead of all others. */
  readonly hidden: boolean
}

export const listPaymentLinks = async (
  sql: Sql,
  owner: ListOwner,
  filter: PaymentLinkFilter,
  page: Page,
): Promise<Actor<PaymentLink>[]> => {
  const { statuses, reference, search, hidden } = filter
  // Not as a parameter: the indexes have this condition.
  const of = hidden ? sql`hidden` : sql`not hidden`
  const bounds = await findSeqBounds(sql, 'payment_links', owner, { ...filter, of })
  const filters = sql`and ${of} ${commonFilters(sql, filter, bounds)} ${filtersOf(sql, { reference })}`
  const parts = search === undefined ? statuses && partsByState(sql, statuses) : partsFoundBy(sql, owner, search)
  const rows = await listRows<ActorRow>(sql, { table: 'payment_links', owner, page, filters, ...(parts && { parts }) })
  return rows.map(readLink)
}

/** A reference is unique. */
const partsFoundBy = (sql: Sql, owner: ListOwner, search: string): readonly ListPart[] => {
  const id = decodeId('plink', search)
  return [
    { few: sql`${ownedBy(sql, owner)} and reference = ${search}` },
    ...(id === undefined ? [] : [{ few: sql`id = ${id}` }]),
  ]
}
