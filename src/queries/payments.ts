import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { paymentKind } from '../kinds/payment.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { finderOf, type RecordName } from './named.ts'
import { listPlaced, narrowed, type PlacedPage, type Whose } from './places.ts'

const readPayment = readerOf(paymentKind)
const findRow = finderOf<ActorRow>('payments')

export const findPayment = async (sql: Sql, name: RecordName): Promise<Actor<Payment> | undefined> => {
  const row = await findRow(sql, name)
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
    ${narrowed(sql, { state: status, payment_link_id: paymentLinkId, reference })}
    ${attention ? sql`and attention` : sql``}`
  const rows = await listPlaced<ActorRow>(sql, { table: 'payments', whose, page, filters })
  return rows.map(readPayment)
}
