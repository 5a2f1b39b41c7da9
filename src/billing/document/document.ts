import type { Locale } from '../../web/text/locale.ts'
import type { DocumentSums, TaxBehavior, TaxRate } from '../invoice-sums.ts'

/** What a PDF shows: values of a frozen record, and nothing that a later change of settings would alter. */
export type PrintedDocument = DocumentSums & {
  readonly locale: Locale
  /** Made in test mode. */
  readonly isTest: boolean
  /** Null for a draft. */
  readonly number: string | null
  readonly currency: string
  readonly taxBehavior: TaxBehavior
  /** A day, as all dates. Null for a draft. */
  readonly issueDate: string | null
  readonly seller: PrintedSeller
  readonly customer: PrintedParty
  readonly lines: readonly PrintedLine[]
  readonly reference: string | null
  readonly orderNumber: string | null
  readonly notes: string | null
} & (PrintedInvoice | PrintedCreditNote)

export type PrintedInvoice = {
  readonly kind: 'invoice'
  readonly dueDate: string | null
  readonly creditAppliedMinor: number
  readonly creditNotesMinor: number
  readonly amountPaidMinor: number
  readonly amountDueMinor: number
  /** The credit note that cancels the invoice, if it was void before its document was first rendered. */
  readonly canceledBy: PrintedReference | null
}

export type PrintedReference = { readonly number: string; readonly issueDate: string }

export type PrintedCreditNote = {
  readonly kind: 'credit_note'
  readonly invoice: PrintedReference
  readonly reason:
    | 'duplicate'
    | 'requested_by_customer'
    | 'product_unsatisfactory'
    | 'order_change'
    | 'cancellation'
    | 'other'
  readonly dueReducedMinor: number
  readonly creditMinor: number
  readonly refundsMinor: number
}

/** A draft in live mode may have no name yet. In test mode, the name of the merchant stands for one that is not set. */
export type PrintedSeller = {
  readonly legalName: string | null
  readonly taxId: string | null
  readonly address: PrintedAddress | null
}

/** Without company and name, the e-mail address stands for both. */
export type PrintedParty = {
  readonly company: string | null
  readonly name: string | null
  readonly email: string | null
  readonly taxId: string | null
  readonly address: PrintedAddress | null
}

export type PrintedAddress = {
  readonly line1: string
  readonly line2: string | null
  readonly city: string
  readonly postalCode: string
  readonly state: string | null
  /** ISO 3166-1 alpha-2. */
  readonly country: string
}

/** `quantity` and `unitAmountMinor` are null on a credit note over an amount. */
export type PrintedLine = TaxRate & {
  readonly description: string
  readonly quantity: string | null
  readonly unitAmountMinor: number | null
  readonly amountMinor: number
  readonly taxNote: string | null
  /** Days or times. */
  readonly periodStart: string | null
  readonly periodEnd: string | null
}
