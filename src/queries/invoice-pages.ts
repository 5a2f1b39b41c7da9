import type { Customer } from '../../machines/customer.ts'
import type { Invoice } from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import type { Sql } from '../postgres/connect.ts'
import { ownCredit, readInvoice } from './invoices.ts'
import type { Fragment } from './list-rows.ts'

/** An invoice for visitors of its page. */
export type VisitedInvoice = {
  readonly invoice: Actor<Invoice>
  readonly merchantName: string
  /** The customer of the invoice, or the one that has taken its place. */
  readonly customer: Pick<Customer, 'email' | 'name'> & { readonly id: string }
  /** The credit that the customer has now. */
  readonly creditMinor: number
}

type VisitedRow = ActorRow & {
  readonly merchant_name: string
  readonly payer: VisitedInvoice['customer']
  readonly credit: string | null
}

/** By the hash of the token. A draft has none. */
export const findVisitedInvoice = async (sql: Sql, tokenHash: string): Promise<VisitedInvoice | undefined> => {
  const [row] = await sql<VisitedRow[]>`${visited(sql)} where r.token_hash = ${tokenHash}`
  return row && readVisited(row)
}

export const findInvoiceNumber = async (sql: Sql, id: string): Promise<string | undefined> => {
  const [row] = await sql<{ number: string | null }[]>`select number from invoices where id = ${id}`
  return row?.number ?? undefined
}

/** A payment of an invoice that has paid something, or is about to. */
export type InvoicePayment = { readonly id: string; readonly state: string; readonly amountMinor: number }

export const listInvoicePayments = async (
  sql: Sql,
  { context }: Actor<Invoice>,
): Promise<readonly InvoicePayment[]> => {
  const { merchantId, livemode, paymentLinkId, allocations } = context
  const rows = await sql<{ id: string; state: string; amount_minor: string }[]>`
    select id, state, amount_minor from payments
    where id = any(${allocations.map(({ paymentId }) => paymentId)}::uuid[])
    union
    select id, state, amount_minor from payments
    where merchant_id = ${merchantId} and livemode = ${livemode} and payment_link_id = ${paymentLinkId} and state = 'processing'
    order by id`
  return rows.map(({ id, state, amount_minor }) => ({ id, state, amountMinor: Number(amount_minor) }))
}

/** A refund that was issued with a credit note. */
export type CreditNoteRefund = {
  readonly id: string
  readonly state: string
  readonly amountMinor: number
  readonly chainId: number
  readonly txHash: string | null
}

export const listRefundsById = async (sql: Sql, ids: readonly string[]): Promise<readonly CreditNoteRefund[]> => {
  if (ids.length === 0) return []
  const rows = await sql<
    { id: string; state: string; amount_minor: string; chain_id: string; tx_hash: string | null }[]
  >`
    select id, state, amount_minor, chain_id, tx_hash from refunds where id = any(${[...ids]}::uuid[]) order by id`
  return rows.map(row => ({
    ...{ id: row.id, state: row.state, amountMinor: Number(row.amount_minor) },
    ...{ chainId: Number(row.chain_id), txHash: row.tx_hash },
  }))
}

/** Of invoices with an open stream, those that have changed since these revisions. The keys begin with their ids. */
export const listChangedInvoices = async (
  sql: Sql,
  revisions: ReadonlyMap<string, number>,
): Promise<readonly (VisitedInvoice & { readonly key: string })[]> => {
  const rows = await sql<(VisitedRow & { readonly key: string })[]>`
    select found.*, known.key
    from unnest(${[...revisions.keys()]}::text[], ${[...revisions.values()]}::bigint[]) as known (key, rev)
    join (${visited(sql)}) found on found.id = split_part(known.key, ' ', 1)::uuid and found.rev <> known.rev`
  return rows.map(row => ({ ...readVisited(row), key: row.key }))
}

const visited = (sql: Sql): Fragment => sql`
  select r.*, s.name as merchant_name,
    jsonb_build_object('email', c.email, 'name', c.name) || coalesce(u.payer, '{}') || jsonb_build_object('id', c.id) as payer,
    (select case when u.id is null then b.balance_minor else greatest(0, least(b.balance_minor, ${ownCredit(sql, sql`u.id`)})) end
     from credit_balances b where b.customer_id = c.id and b.currency = r.currency) as credit
  from invoices r
  join settings s on s.merchant_id = r.merchant_id and s.livemode = r.livemode
  join customers c on c.id = survivor_of(r.customer_id)
  -- Of a visitor, only what was typed: see factsColumns().
  left join subscriptions u on u.id = r.subscription_id and not u.verified`

/**
 * Its visitors may not be the customer: from the commit that erases the customer on, they do not see whom it was issued to,
 * nor what the merchant has written about it.
 */
const readVisited = (row: VisitedRow): VisitedInvoice => {
  const { merchant_name: merchantName, payer: customer } = row
  const invoice = readInvoice(row)
  const { context } = invoice
  return {
    ...{ merchantName, customer, creditMinor: Number(row.credit ?? 0) },
    invoice: context.customerErased
      ? { ...invoice, context: { ...context, customer: null, voidReason: null } }
      : invoice,
  }
}
