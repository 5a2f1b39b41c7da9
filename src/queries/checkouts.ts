import type { Payment } from '../../machines/payment-events.ts'
import type { PaymentLink } from '../../machines/payment-link.ts'
import type { Row } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { emailKey } from '../email-key.ts'
import { paymentLinkKind } from '../kinds/payment-link.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import type { Fragment, ListOwner } from './list-rows.ts'
import { readShown, type ShownPayment, type ShownRow, shownColumns } from './payments.ts'
import type { SettingsRow } from './settings.ts'

/** The row that is committed with the command that opens a payment. */
export const checkoutRow = (paymentId: string, secretHash: Buffer): Row => ({
  table: 'checkouts',
  row: { payment_id: paymentId, secret_hash: `\\x${secretHash.toString('hex')}` },
})

/** A payment as its page and its event stream show it. `invoiceRev`: revision of the invoice that it pays, or 0. */
export type WatchedPayment = ShownPayment & { readonly invoiceRev: number }

type WatchedRow = ShownRow & { readonly invoice_rev: number }

const readWatched = (row: WatchedRow): WatchedPayment => ({ ...readShown(row), invoiceRev: row.invoice_rev })

/** Whether a payment still asks for money depends on its invoice. */
const invoiceRev = (sql: Sql): Fragment => sql`coalesce((select i.rev from invoices i where i.id = r.invoice_id), 0)`

/**
 * With a wrong secret the payment is not found. One query for both, so that the time does not reveal which is wrong.
 */
export const findCheckout = async (
  sql: Sql,
  paymentId: string,
  secretHash: Buffer,
): Promise<WatchedPayment | undefined> => {
  const [row] = await sql<WatchedRow[]>`
    select ${shownColumns(sql)}, ${invoiceRev(sql)} as invoice_rev from payments as r
    where id = ${paymentId}
      and exists (select from checkouts c where c.payment_id = ${paymentId} and c.secret_hash = ${secretHash})`
  return row && readWatched(row)
}

/** Changes whenever the payment or its invoice does, because neither revision ever decreases. */
export const watchedRev = ({ payment, invoiceRev }: WatchedPayment): number => payment.rev + invoiceRev

/**
 * Of payments with an open stream, those that may have changed since these revisions (`watchedRev()`): they have another one,
 * or transfers, whose confirmations grow with each block. Of a thousand customers who have not paid yet nothing is read.
 */
export const listChangedPayments = async (
  sql: Sql,
  revisions: ReadonlyMap<string, number>,
): Promise<WatchedPayment[]> => {
  const rows = await sql<WatchedRow[]>`
    select ${shownColumns(sql)}, ${invoiceRev(sql)} as invoice_rev
    from unnest(${[...revisions.keys()]}::uuid[], ${[...revisions.values()]}::bigint[]) as known (id, rev)
    join payments as r on r.id = known.id
    where r.rev + ${invoiceRev(sql)} <> known.rev or exists (select from transfers_of(r.id))`
  return rows.map(readWatched)
}

/** The merchant's settings that apply to a checkout. */
export type Terms = Pick<
  SettingsRow,
  | 'name'
  | 'logo'
  | 'accent_color'
  | 'support_email'
  | 'support_url'
  | 'receiving_address'
  | 'receiving_addresses'
  | 'confirmations'
  | 'tolerance_bps'
  | 'late_policy'
> & { readonly api_version: string }

export type VisitedLink = {
  readonly link: Actor<PaymentLink>
  readonly terms: Terms
  /** Chains that are not read until an operator intervenes. */
  readonly stoppedChains: readonly number[]
  /** The customer of the e-mail address that was asked for; null if there is none. */
  readonly customerId?: string | null
}

const readLink = readerOf(paymentLinkKind)

/**
 * For customers, who know only the id of the link. The links of invoices do not exist for them. `email`: of a customer who
 * is about to pay.
 */
export const findVisitedLink = (sql: Sql, id: string, email?: string): Promise<VisitedLink | undefined> =>
  findLink(sql, sql`l.id = ${id} and not l.hidden`, email)

/** The link of a payment, with the amount of the payment: those of an invoice differ. */
export const findLinkOf = async (
  sql: Sql,
  { paymentLinkId, amountMinor }: Pick<Payment, 'paymentLinkId' | 'amountMinor'>,
): Promise<VisitedLink | undefined> => {
  const found = await findLink(sql, sql`l.id = ${paymentLinkId}`)
  return found && withAmount(found, amountMinor)
}

/** The link as if it asked for this amount. */
export const withAmount = (visited: VisitedLink, amountMinor: number): VisitedLink => {
  const { link } = visited
  return { ...visited, link: { ...link, context: { ...link.context, amountMinor } } }
}

const findLink = async (sql: Sql, condition: Fragment, email?: string): Promise<VisitedLink | undefined> => {
  // In the same query, so that opening a payment takes no further round trip.
  const customer =
    email === undefined
      ? sql``
      : sql`(
          select e.customer_id from customer_emails e
          where e.merchant_id = l.merchant_id and e.livemode = l.livemode and e.email_key = ${emailKey(email)}
        ) as customer_id,`
  const [row] = await sql<(ActorRow & { terms: Terms; stopped_chains: number[]; customer_id?: string | null })[]>`
    select l.*, ${customer} to_jsonb(s) || jsonb_build_object('api_version', m.api_version) as terms,
      to_json(array(select chain_id from chain_cursors where stopped_at is not null)) as stopped_chains
    from payment_links l
    join settings s on s.merchant_id = l.merchant_id and s.livemode = l.livemode
    join merchants m on m.id = l.merchant_id
    where ${condition}`
  if (!row) return undefined
  const { terms, stopped_chains: stoppedChains, customer_id: customerId } = row
  return { link: readLink(row), terms, stoppedChains, ...(customerId !== undefined && { customerId }) }
}

/** What the checkout of a link would be, before the link is created. */
export const findTerms = async (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
): Promise<Omit<VisitedLink, 'link'> | undefined> => {
  const [row] = await sql<{ terms: Terms; stopped_chains: number[] }[]>`
    select to_jsonb(s) || jsonb_build_object('api_version', m.api_version) as terms,
      to_json(array(select chain_id from chain_cursors where stopped_at is not null)) as stopped_chains
    from settings s
    join merchants m on m.id = s.merchant_id
    where s.merchant_id = ${merchantId} and s.livemode = ${livemode}`
  return row && { terms: row.terms, stoppedChains: row.stopped_chains }
}
