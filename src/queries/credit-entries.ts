import type { BundleOutcome, Command, Row } from '../actors/command.ts'
import type { Services } from '../actors/services.ts'
import type { Sql } from '../postgres/connect.ts'
import { type Page, pageBySeq } from './page.ts'

/** An entry of the ledger. Amounts are texts, as the driver returns them. */
export type CreditEntryRow = {
  readonly id: string
  readonly customer_id: string
  readonly currency: string
  readonly type: 'overpayment' | 'credit_note' | 'applied' | 'released' | 'refunded' | 'adjustment'
  readonly amount_minor: string
  readonly balance_minor: string
  readonly invoice_id: string | null
  readonly payment_id: string | null
  readonly credit_note_id: string | null
  readonly note: string | null
  readonly created_at: Date
}

/** An entry to be committed with a command. The database adds it to the balance, which must not become negative. */
export type NewCreditEntry = {
  readonly id: string
  readonly customerId: string
  readonly merchantId: string
  readonly livemode: boolean
  readonly currency: string
  readonly type: CreditEntryRow['type']
  /** Positive adds credit. Not 0. */
  readonly amountMinor: number
  readonly invoiceId?: string
  readonly paymentId?: string
  readonly creditNoteId?: string
  readonly note?: string
}

export const creditEntryRow = (entry: NewCreditEntry): Row => ({
  table: 'credit_entries',
  row: {
    customer_id: entry.customerId,
    currency: entry.currency,
    id: entry.id,
    merchant_id: entry.merchantId,
    livemode: entry.livemode,
    type: entry.type,
    amount_minor: entry.amountMinor,
    invoice_id: entry.invoiceId ?? null,
    payment_id: entry.paymentId ?? null,
    credit_note_id: entry.creditNoteId ?? null,
    note: entry.note ?? null,
  },
})

/**
 * Dispatches a bundle that can give credit. Credit that would make the balance larger than a number can represent is not
 * given: money that was received or not sent must not wait for it, and can still be refunded.
 */
export const dispatchGivingCredit = async (
  { actors }: Pick<Services, 'actors'>,
  commandsOf: (given: { readonly givesNoCredit: boolean }) => readonly Command[],
): Promise<BundleOutcome> => {
  const outcome = await actors.dispatchBundle(commandsOf({ givesNoCredit: false }))
  return outcome.ok || outcome.refusal !== 'credit_exceeds_balance'
    ? outcome
    : actors.dispatchBundle(commandsOf({ givesNoCredit: true }))
}

/**
 * An entry by the columns of its key. A merge in the same commit may have made it an entry of the customer that the
 * given one was merged into.
 */
export const getCreditEntry = async (
  sql: Sql,
  { customerId, currency, id }: Pick<NewCreditEntry, 'customerId' | 'currency' | 'id'>,
): Promise<CreditEntryRow> => {
  const [row] = await sql<CreditEntryRow[]>`
    select * from credit_entries
    where customer_id in (${customerId}, survivor_of(${customerId})) and currency = ${currency} and id = ${id}`
  if (!row) throw new Error(`There is no credit entry ${id}`)
  return row
}

export const listCreditEntries = (sql: Sql, customerId: string, page: Page): Promise<CreditEntryRow[]> =>
  sql<CreditEntryRow[]>`
    select * from credit_entries where customer_id = ${customerId} and ${pageBySeq(sql, page)}`

/** The `seq` of an entry of this customer. */
export const findCreditEntrySeq = async (sql: Sql, customerId: string, id: string): Promise<string | undefined> => {
  const [row] = await sql<{ seq: string }[]>`
    select seq from credit_entries where customer_id = ${customerId} and id = ${id}`
  return row?.seq
}
