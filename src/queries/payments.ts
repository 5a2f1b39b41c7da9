import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { paymentKind } from '../kinds/payment.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { listPlaced, type PlacedPage, type Whose } from './places.ts'

const readPayment = readerOf(paymentKind)

export type PaymentName = {
  readonly id: string
  readonly merchantId: string
  /** Undefined: either. */
  readonly livemode: boolean | undefined
}

export const findPayment = async (
  sql: Sql,
  { id, merchantId, livemode }: PaymentName,
): Promise<Actor<Payment> | undefined> => {
  const [row] = await sql<ActorRow[]>`
    select * from payments
    where id = ${id} and merchant_id = ${merchantId} and livemode = coalesce(${livemode ?? null}, livemode)`
  return row && readPayment(row)
}

export type PaymentFilter = {
  readonly status: string | undefined
  readonly paymentLinkId: string | undefined
  readonly reference: string | undefined
  /** True: only those that a person must decide about. */
  readonly attention: boolean
}

export const listPayments = async (
  sql: Sql,
  whose: Whose,
  { status, paymentLinkId, reference, attention }: PaymentFilter,
  page: PlacedPage,
): Promise<Actor<Payment>[]> => {
  const filters = sql`
    ${status === undefined ? sql`` : sql`and state = ${status}`}
    ${paymentLinkId === undefined ? sql`` : sql`and payment_link_id = ${paymentLinkId}`}
    ${reference === undefined ? sql`` : sql`and reference = ${reference}`}
    ${attention ? sql`and attention` : sql``}`
  const rows = await listPlaced<ActorRow>(sql, { table: 'payments', whose, page, filters })
  return rows.map(readPayment)
}
