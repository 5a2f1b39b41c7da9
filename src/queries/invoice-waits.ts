import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Fragment } from './list-rows.ts'
import { readPayment } from './payments.ts'

/** The times up to which the chains have been read that open payments of the invoice `i` may be paid on. */
export const readUpTo = (sql: Sql): Fragment => sql`
  select c.mined_at
  from payments p join chain_cursors c on c.chain_id = p.chain_id
  where p.payment_link_id = i.payment_link_id and p.state = 'pending'`

/** Payments of an invoice that wait for money and have received nothing. */
export const listUnpaidPayments = async (sql: Sql, invoiceId: string): Promise<readonly Actor<Payment>[]> => {
  const rows = await sql<ActorRow[]>`
    select p.* from invoices i
    join payments p on p.merchant_id = i.merchant_id and p.livemode = i.livemode
      and p.payment_link_id = i.payment_link_id and p.state = 'pending'
    where i.id = ${invoiceId} and p.amount_received = 0`
  return rows.map(readPayment)
}

/** Whether all transfers to the invoice `i` that were recorded are applied. */
export const isSettled = (sql: Sql): Fragment => sql`
  not exists (
    select from payments p join unsettled_payments u on u.payment_id = p.id
    where p.payment_link_id = i.payment_link_id and u.reported_rev is distinct from p.rev)`

/**
 * Whether no money that was sent until a time can still arrive for an invoice: nothing is processing, and the chains of its
 * open payments have been read past the time. Invoices of a test clock wait for what is processing alone.
 */
export const isReadPast = async (sql: Sql, invoiceId: string, at: Date): Promise<boolean> => {
  const [row] = await sql<{ is_read: boolean }[]>`
    select amount_processing_minor = 0 and (test_clock_id is not null or (
      ${isSettled(sql)} and not exists (select from (${readUpTo(sql)}) c where c.mined_at <= ${at}))) as is_read
    from invoices i where id = ${invoiceId}`
  return row?.is_read ?? true
}
