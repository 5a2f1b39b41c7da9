import type { PaymentLink } from '../../machines/payment-link.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { paymentLinkKind } from '../kinds/payment-link.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { filtersOf, type ListOwner, listRows } from './list-rows.ts'
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

export type PaymentLinkFilter = { readonly status: string | undefined; readonly reference: string | undefined }

export const listPaymentLinks = async (
  sql: Sql,
  owner: ListOwner,
  { status, reference }: PaymentLinkFilter,
  page: Page,
): Promise<Actor<PaymentLink>[]> => {
  const filters = filtersOf(sql, { state: status, reference })
  const rows = await listRows<ActorRow>(sql, { table: 'payment_links', owner, page, filters })
  return rows.map(readLink)
}
