import type { CustomerAddress } from './customer.ts'

/** A line, with the amounts that were calculated for it. */
export type InvoiceLine = {
  id: string
  description: string
  /** A decimal number. */
  quantity: string
  unitAmountMinor: number
  amountMinor: number
  taxRateBps: number
  taxCategory: 'standard' | 'zero' | 'exempt' | 'reverse_charge' | 'export' | 'outside'
  taxNote: string | null
  periodStart: string | null
  periodEnd: string | null
}

/** The sums of the lines with one tax rate. */
export type InvoiceTax = Pick<InvoiceLine, 'taxCategory' | 'taxRateBps'> & { netMinor: number; taxMinor: number }

/** What a draft says, as the merchant has written it, and the sums of its lines. */
export type InvoiceContent = {
  customerId: string
  currency: string
  taxBehavior: 'exclusive' | 'inclusive'
  lines: readonly InvoiceLine[]
  taxes: readonly InvoiceTax[]
  subtotalMinor: number
  taxMinor: number
  totalMinor: number
  /** At most one of the two is set. If none is, the merchant's setting decides at finalization. */
  daysUntilDue: number | null
  /** A day, as in `2026-11-20`. */
  dueDate: string | null
  reference: string | null
  orderNumber: string | null
  notes: string | null
  /** The assets that the customer can pay with; null for all that are offered. */
  assets: readonly { chainId: number; asset: string }[] | null
  /** When reminders are sent, in days from the due date; null for the merchant's setting at finalization. */
  reminderOffsets: readonly number[] | null
  metadata: Readonly<Record<string, string>>
}

/**
 * The period of a subscription that the invoice is for. All are null for an invoice of no subscription; the times alone for a
 * first period that begins when the invoice is paid.
 */
export type InvoicePeriod = {
  subscriptionId: string | null
  /** Counted from 0. */
  periodIndex: number | null
  periodStart: Date | null
  periodEnd: Date | null
}

export type InvoiceOpening = InvoiceContent &
  InvoicePeriod & {
    merchantId: string
    livemode: boolean
    apiVersion: string
    /** That of its customer. It never changes: a draft can only be given to another customer with the same one. */
    testClockId: string | null
    /**
     * Of a draft that can be paid: the first invoice of a customer who has subscribed on the page of a plan. It is finalized in
     * the commit in which money for it is seen, so that visitors who do not pay use up no numbers.
     */
    page?: PageToken & { paymentLinkId: string }
  }

/** The merchant as it was when the invoice was finalized. Its name and address can be null in test mode. */
export type InvoiceSeller = { legalName: string | null; address: CustomerAddress | null; taxId: string | null }

/** The customer as it was when the invoice was finalized. `locale`: the language of the document. */
export type InvoiceParty = {
  email: string
  name: string | null
  company: string | null
  taxId: string | null
  address: CustomerAddress | null
  locale: string | null
}

export type Reminder = { offsetDays: number; at: string; sentAt: string | null }

/** What finalization adds. It never changes afterwards, except that the parties are deleted when their time is over. */
export type InvoiceIssue = {
  number: string
  /** The series of its number, and the number in it. */
  seriesId: string
  sequence: number
  issuedAt: Date
  /** Days in the merchant's time zone. */
  issueDate: string
  dueDate: string
  dueAt: Date
  seller: InvoiceSeller
  customer: InvoiceParty
  /** 16 random bytes in hexadecimal digits, without which `partyHash` cannot be guessed from the party. */
  partySalt: string
  /** Part of `documentHash`. It remains when party and salt are deleted, so that the chain can still be verified. */
  partyHash: string
  documentHash: string
  /** Null for the first document of its series. */
  previousDocumentHash: string | null
  reminders: readonly Reminder[]
  retainedUntil: Date
  creditAppliedMinor: number
  /** Null if nothing is due. */
  paymentLinkId: string | null
} & PageToken

/** The secret in the address of its page. */
export type PageToken = { tokenHash: string; sealedToken: string }

/**
 * What one payment has paid of the invoice. `overpaidMinor` has become credit of the customer, and refunds have taken back
 * `takenBackMinor` of it. `excessMinor` was overpaid and is no credit: the customer had been erased, or the balance would have been
 * larger than a number can represent. `refundedMinor`: its refunds that are processed. `creditedMinor`: what credit notes return
 * of `amountMinor` by refunds. `noteRefundsMinor`: these refunds, without those that were canceled or have failed.
 * `noteCreditMinor`: what became credit instead, because such a refund was canceled. `takenBackMinor` is part of it too.
 * `refundedFirstMinor`: what other refunds had returned of `amountMinor` before. They take back none of it.
 */
export type Allocation = {
  paymentId: string
  amountMinor: number
  overpaidMinor: number
  takenBackMinor: number
  excessMinor: number
  refundedMinor: number
  creditedMinor: number
  noteRefundsMinor: number
  noteCreditMinor: number
  refundedFirstMinor: number
  at: string
}

export type Invoice = Omit<InvoiceOpening, 'page'> & { [Field in keyof InvoiceIssue]: InvoiceIssue[Field] | null } & {
  reminders: readonly Reminder[]
  creditAppliedMinor: number
  /** The party is shown to owners only, and deleted after `retainedUntil`. Set in the commit that erases the customer. */
  customerErased: boolean
  creditNotesMinor: number
  amountPaidMinor: number
  amountProcessingMinor: bigint
  amountOverpaidMinor: number
  /** The processed refunds of its payments. */
  amountRefundedMinor: number
  /** The part of them that was neither overpaid nor is part of a credit note. */
  uncreditedRefundsMinor: number
  allocations: readonly Allocation[]
  creditNoteIds: readonly string[]
  overdue: boolean
  /** Whether `dueAt` is over, and for how many reminders the time has come. The chain may not have been read as far yet. */
  duePassed: boolean
  remindersPassed: number
  /** The offset of the last reminder; null for one that was requested. */
  remindedOffset: number | null
  /** When the last reminder was requested. */
  remindedAt: Date | null
  paidAt: Date | null
  voidedAt: Date | null
  voidReason: string | null
}

/**
 * Events of its payments arrive in the same bundle as the payment's own event. `scannedTo`: all chains that it can be
 * paid on have been read up to this time.
 */
export type InvoiceEvent = { at: Date } & (
  | { type: 'update'; content: InvoiceContent }
  | { type: 'delete' | 'mark_uncollectible' | 'remind' }
  | { type: 'discard' }
  | ({ type: 'finalize' } & InvoiceIssue)
  | { type: 'due_date_passed'; scannedTo: Date }
  | { type: 'reminder_passed'; scannedTo: Date; offsetDays: number }
  | { type: 'payment_processing' | 'payment_reverted'; amountMinor: number }
  | MoneyCounted
  | RefundOfPayment
  | CreditNoteIssued
  | ({ type: 'void'; reason: string | null } & Pick<CreditNoteIssued, 'creditNoteId' | 'retainedUntil'>)
  | ({ type: 'rotate_url' } & PageToken)
)

/** In the bundle of the credit note, before the events of its refunds. */
export type CreditNoteIssued = {
  at: Date
  type: 'credit_note_issued'
  creditNoteId: string
  dueReducedMinor: number
  /** The party is part of the credit note too. */
  retainedUntil: Date
  refunds: readonly { paymentId: string; amountMinor: number }[]
}

/**
 * `countedMinor`: all money of the payment that counts now. `processedMinor`: how much of it was processing until now.
 * `givesNoCredit`: what is overpaid does not become credit.
 */
export type MoneyCounted = {
  at: Date
  type: 'money_counted'
  paymentId: string
  countedMinor: number
  processedMinor: number
  givesNoCredit: boolean
}

/**
 * A refund of a payment begins, is given up, or is processed. `refundsReservedMinor`, `receivedMinor`: of the payment, with
 * this refund. `creditMinor`: the credit of the customer, of which a refund that begins takes back what the payment gave.
 * `givesNoCredit`: a refund that is given up returns none of it. `isOfCreditNote`: the refund was issued with a credit note.
 * `isCanceled`: it is given up for good.
 */
export type RefundOfPayment = {
  at: Date
  type: 'refund_reserved' | 'refund_released' | 'refund_processed'
  paymentId: string
  amountMinor: number
  refundsReservedMinor: number
  receivedMinor: number
  creditMinor: number
  givesNoCredit: boolean
  isOfCreditNote: boolean
  isCanceled: boolean
}
