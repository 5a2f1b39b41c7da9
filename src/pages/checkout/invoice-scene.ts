import type { CreditNote } from '../../../machines/credit-note.ts'
import type { Invoice } from '../../../machines/invoice-events.ts'
import type { Actor } from '../../actors/kind.ts'
import type { DocumentValues } from '../../billing/document/values.ts'
import type { CheckoutFacts } from './facts.ts'
import type { RefusedForm } from './open.ts'
import type { CheckoutScene } from './parts.ts'

/** A payment that has paid something of the invoice, or is about to. */
export type ReceivedPayment = {
  readonly id: string
  readonly state: string
  readonly amountMinor: number
  /** Null until the payment has succeeded. */
  readonly receiptUrl: string | null
}

export type ListedCreditNote = Pick<
  CreditNote,
  'number' | 'issueDate' | 'totalMinor' | 'dueReducedMinor' | 'creditMinor'
> & { readonly documentPath: string; readonly refunds: readonly ListedRefund[] }

/** A refund of a credit note. */
export type ListedRefund = {
  readonly state: string
  readonly amountMinor: number
  readonly txHash: string | null
  readonly explorerUrl: string | null
}

/** A payment that this browser has begun and can go on with. */
export type BegunPayment = { readonly path: string; readonly amountMinor: number; readonly ends: Date }

export type ShownInvoice = {
  readonly invoice: Actor<Invoice>
  readonly payments: readonly ReceivedPayment[]
  readonly begun: BegunPayment | undefined
  /** Oldest first. */
  readonly creditNotes: readonly ListedCreditNote[]
  /** The credit that the customer has now. */
  readonly creditMinor: number
  readonly streamPath: string
  readonly documentPath: string
  /** Identifies the state that is shown, for the event stream. */
  readonly eventId: string
}

/** `checkout`: what can be paid now. Without `shown`, the invoice is not known. */
export type InvoiceFacts = { readonly checkout: CheckoutFacts; readonly shown?: ShownInvoice }

/** A form whose asset was refused, or one that came when nothing was due any more. */
export type RefusedInvoiceForm = Pick<RefusedForm, 'asset' | 'errors'> | 'nothing_due'

export type InvoicePageRequest = {
  readonly path: string
  /** `?lang=de`, if the customer has chosen it. */
  readonly query: string
  readonly refused: RefusedInvoiceForm | undefined
}

/** An invoice as the parts of its page see it. */
export type InvoiceScene = CheckoutScene & ShownInvoice & { readonly values: DocumentValues }
