import type { Customer } from '../../machines/customer.ts'
import type { Invoice, InvoiceParty } from '../../machines/invoice-events.ts'
import type { Subscription } from '../../machines/subscription-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { invoiceKind } from '../kinds/invoice.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import type { BillingSettingsRow } from './billing-settings.ts'
import type { Fragment } from './list-rows.ts'
import { finderOf, type RecordKey } from './record-finder.ts'

export const readInvoice = readerOf(invoiceKind)

/** All columns of the row `r`. The customer is the one that has taken the place of a merged one. */
export const invoiceColumns = (sql: Sql): Fragment => sql`r.*, survivor_of(r.customer_id) as customer_id`

const findRow = finderOf<ActorRow>('invoices', invoiceColumns)

/** A draft that was deleted is not found. */
export const findInvoice = async (sql: Sql, key: RecordKey): Promise<Actor<Invoice> | undefined> => {
  const row = await findRow(sql, key)
  return row && row.state !== 'deleted' ? readInvoice(row) : undefined
}

/** What finalization reads of a draft besides the draft: it is decided again in the commit with what is locked there. */
export type FinalizationFacts = {
  readonly settings: BillingSettingsRow
  /** The customer, or the one that has taken its place. */
  readonly customer: Pick<Customer, 'email' | 'name' | 'company' | 'taxId' | 'address' | 'locale'> & {
    readonly id: string
    readonly state: string
  }
  readonly creditMinor: number
}

export type FactsRow = {
  readonly settings: BillingSettingsRow
  readonly customer_row: FinalizationFacts['customer']
  readonly credit_minor: string
  readonly payer: Subscription['payer']
  readonly own_credit_minor: string
}

/**
 * In one statement for all drafts that are finalized concurrently. An e-mail address proves nothing: what a visitor of the page
 * of a plan has typed is all that is used of the customer, and no credit but what the payments of the subscription gave, until
 * the merchant confirms who the customer is. `subscriptionId`: of the row `r`.
 */
export const factsColumns =
  (subscriptionId: (sql: Sql) => Fragment) =>
  (sql: Sql): Fragment =>
    sql`
  ${invoiceColumns(sql)},
  (select u.payer from subscriptions u where u.id = ${subscriptionId(sql)} and not u.verified) as payer,
  ${ownCredit(sql, subscriptionId(sql))}::text as own_credit_minor,
  (select to_json(b) from billing_settings b where b.merchant_id = r.merchant_id) as settings,
  (select json_build_object('id', c.id, 'state', c.state, 'email', c.email, 'name', c.name, 'company', c.company,
     'taxId', c.tax_id, 'address', c.address, 'locale', c.locale)
   from customers c where c.id = survivor_of(r.customer_id)) as customer_row,
  coalesce((select b.balance_minor from credit_balances b
    where b.customer_id = survivor_of(r.customer_id) and b.currency = r.currency), 0)::text as credit_minor`

/** What the payments of a subscription have given as credit and is not used, in the currency of the row `r`. */
export const ownCredit = (sql: Sql, subscriptionId: Fragment): Fragment => sql`
  (select coalesce(sum(e.amount_minor), 0)
   from invoices o join credit_entries e on e.invoice_id = o.id and e.currency = r.currency
   where o.subscription_id = ${subscriptionId})`

const findFactsRow = finderOf<ActorRow & FactsRow>(
  'invoices',
  factsColumns(sql => sql`r.subscription_id`),
)

export const findWithFacts = async (
  sql: Sql,
  key: RecordKey,
): Promise<{ readonly invoice: Actor<Invoice>; readonly facts: FinalizationFacts } | undefined> => {
  const row = await findFactsRow(sql, key)
  if (!row || row.state === 'deleted') return undefined
  return { invoice: readInvoice(row), facts: factsIn(row) }
}

export const factsIn = (row: FactsRow): FinalizationFacts => {
  const { settings, customer_row: customer, credit_minor, payer, own_credit_minor } = row
  const creditMinor = Number(credit_minor)
  if (payer === null) return { settings, customer, creditMinor }
  return {
    settings,
    customer: { ...payerParty(payer), id: customer.id, state: customer.state },
    creditMinor: Math.max(0, Math.min(creditMinor, Number(own_credit_minor))),
  }
}

/** What a visitor has typed, as the party of a document. */
export const payerParty = (payer: NonNullable<Subscription['payer']>): InvoiceParty => ({
  ...payer,
  ...{ company: null, taxId: null, address: null },
})

/** The balance of a customer's credit in one currency. */
export const getCreditBalance = async (sql: Sql, customerId: string, currency: string): Promise<number> => {
  const [row] = await sql<{ balance: string }[]>`
    select balance_minor::text as balance from credit_balances
    where customer_id = survivor_of(${customerId}) and currency = ${currency}`
  return Number(row?.balance ?? 0)
}

/** The invoice, or one of its credit notes. */
export type DocumentKey = { readonly invoiceId: string; readonly creditNoteId: string | null }

/** The stored rendering of a document. */
export const findInvoiceDocument = async (
  sql: Sql,
  { invoiceId, creditNoteId }: DocumentKey,
): Promise<Uint8Array | undefined> => {
  const [row] = await sql<{ pdf: Buffer }[]>`
    select pdf from invoice_documents
    where invoice_id = ${invoiceId} and credit_note_id is not distinct from ${creditNoteId}::uuid`
  return row?.pdf
}

/**
 * Stores a rendering unless there is one already, and returns the one that is stored. While the document was rendered, the
 * party may have been deleted or the invoice voided: the lock waits for such a commit, and nothing is stored after it. A credit
 * note is the same after its invoice is voided.
 */
export const keepInvoiceDocument = async (
  sql: Sql,
  key: DocumentKey & { readonly isVoid: boolean },
  pdf: Uint8Array,
): Promise<Uint8Array> => {
  await sql`
    insert into invoice_documents (invoice_id, credit_note_id, pdf)
    select id, ${key.creditNoteId}::uuid, ${Buffer.from(pdf)} from invoices
    where id = ${key.invoiceId} and customer is not null 
      and (${key.creditNoteId}::uuid is not null or (state = 'void') = ${key.isVoid})
    for share
    on conflict do nothing`
  return (await findInvoiceDocument(sql, key)) ?? pdf
}
