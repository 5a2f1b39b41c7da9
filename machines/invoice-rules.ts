import { assertEvent, assign, setup } from 'xstate'
import type {
  Allocation,
  CreditNoteIssued,
  Invoice,
  InvoiceContent,
  InvoiceEvent,
  InvoiceOpening,
  MoneyCounted,
  RefundOfPayment,
} from './invoice-events.ts'

/** A draft that was deleted keeps nothing that its merchant has written. */
const emptied: Omit<InvoiceContent, 'customerId' | 'currency' | 'taxBehavior'> = {
  lines: [],
  taxes: [],
  subtotalMinor: 0,
  taxMinor: 0,
  totalMinor: 0,
  daysUntilDue: null,
  dueDate: null,
  reference: null,
  orderNumber: null,
  notes: null,
  assets: null,
  reminderOffsets: null,
  metadata: {},
}

export const invoiceRules = setup({
  types: {
    context: {} as Invoice,
    events: {} as InvoiceEvent,
    input: {} as InvoiceOpening & { at: Date },
    emitted: {} as {
      type:
        | 'invoice.created'
        | 'invoice.finalized'
        | 'invoice.payment_received'
        | 'invoice.paid'
        | 'invoice.overdue'
        | 'invoice.reminder'
        | 'invoice.voided'
        | 'invoice.uncollectible'
    },
  },
  actions: {
    replaceContent: assign(({ event }) => {
      assertEvent(event, 'update')
      return event.content
    }),
    // Implemented in `writes` of src/kinds/invoice.ts.
    joinCustomer: () => {},
    clearContent: assign(emptied),
    clearPage: assign({ paymentLinkId: null, tokenHash: null, sealedToken: null }),
    freeze: assign(({ event }) => {
      assertEvent(event, 'finalize')
      const { type, at, ...issue } = event
      return issue
    }),
    // Implemented in `effects` of src/kinds/invoice.ts.
    renewSubscription: () => {},
    cancelPayments: () => {},
    recordPaid: assign({ paidAt: ({ event }) => event.at }),
    recordVoid: assign(({ context, event }) => {
      assertEvent(event, 'void')
      return {
        creditNotesMinor: context.totalMinor,
        ...nameCreditNote(context, event),
        creditAppliedMinor: 0,
        voidedAt: event.at,
        voidReason: event.reason,
      }
    }),
    recordCreditNote: assign(({ context, event }) => {
      assertEvent(event, 'credit_note_issued')
      const allocations = context.allocations.map(each => ({
        ...each,
        creditedMinor: each.creditedMinor + returnedMinor(event, each.paymentId),
      }))
      return {
        creditNotesMinor: context.creditNotesMinor + event.dueReducedMinor,
        ...nameCreditNote(context, event),
        allocations,
        uncreditedRefundsMinor: sumOfUncredited(allocations),
      }
    }),
    countProcessing: assign(({ context, event }) => {
      assertEvent(event, ['payment_processing', 'payment_reverted'])
      const change = event.type === 'payment_processing' ? event.amountMinor : -event.amountMinor
      return { amountProcessingMinor: context.amountProcessingMinor + BigInt(change) }
    }),
    // Nothing is due of an invoice that is paid or void: all of it is overpaid.
    allocate: assign(({ context, event }) => {
      assertEvent(event, 'money_counted')
      return allocate(context, event)
    }),
    takeBackCredit: assign(({ context, event }) => {
      assertEvent(event, ['refund_reserved', 'refund_released'])
      const { allocations } = changeAllocation(context, event, each => {
        const noteRefunds = noteRefundsMinor(each, event)
        return {
          ...each,
          takenBackMinor: takenBackMinor(context, each, event),
          noteRefundsMinor: noteRefunds,
          refundedFirstMinor: Math.min(each.refundedFirstMinor, event.refundsReservedMinor - noteRefunds),
          ...(becomesCredit(context, event) && creditInstead(each, event, noteRefunds)),
        }
      })
      return { allocations, uncreditedRefundsMinor: sumOfUncredited(allocations) }
    }),
    countRefund: assign(({ context, event }) => {
      assertEvent(event, 'refund_processed')
      const { allocations } = changeAllocation(context, event, each => ({
        ...each,
        refundedMinor: each.refundedMinor + event.amountMinor,
      }))
      return {
        allocations,
        amountRefundedMinor: atMost(context.amountRefundedMinor + event.amountMinor),
        uncreditedRefundsMinor: sumOfUncredited(allocations),
      }
    }),
    passDueDate: assign({ duePassed: true }),
    passReminder: assign({ remindersPassed: ({ context }) => context.remindersPassed + 1 }),
    flagOverdue: assign({ overdue: true }),
    clearOverdue: assign({ overdue: false }),
    recordReminder: assign(({ context, event }) => {
      assertEvent(event, 'reminder_passed')
      const { offsetDays } = event
      const sentAt = event.at.toISOString()
      const reminders = context.reminders.map(each => (each.offsetDays === offsetDays ? { ...each, sentAt } : each))
      return { reminders, remindedOffset: offsetDays }
    }),
    recordRequestedReminder: assign({ remindedOffset: null, remindedAt: ({ event }) => event.at }),
    replaceToken: assign(({ event }) => {
      assertEvent(event, 'rotate_url')
      return { tokenHash: event.tokenHash, sealedToken: event.sealedToken }
    }),
  },
  guards: {
    isPayable: ({ context }) => context.paymentLinkId !== null,
    isNotPayable: ({ context }) => context.paymentLinkId === null,
    nothingIsDue: ({ context, event }) =>
      event.type === 'finalize' && event.creditAppliedMinor === context.totalMinor && event.paymentLinkId === null,
    somethingIsDue: ({ context, event }) =>
      event.type === 'finalize' && event.creditAppliedMinor < context.totalMinor && event.paymentLinkId !== null,
    isOverdue: ({ context, event }) =>
      event.type === 'due_date_passed' &&
      !context.overdue &&
      context.amountProcessingMinor === 0n &&
      context.dueAt !== null &&
      event.scannedTo > context.dueAt,
    reminderIsDue: ({ context, event }) =>
      event.type === 'reminder_passed' &&
      context.amountProcessingMinor === 0n &&
      context.reminders.some(
        ({ offsetDays, at, sentAt }) =>
          offsetDays === event.offsetDays && sentAt === null && event.scannedTo > new Date(at),
      ),
    mayRemindAgain: ({ context: { remindedAt }, event }) =>
      remindedAt === null || event.at.getTime() - remindedAt.getTime() >= HOUR_MS,
    someProcessing: ({ context, event }) =>
      event.type === 'payment_reverted' && BigInt(event.amountMinor) <= context.amountProcessingMinor,
    moneyCounts: ({ context, event }) => event.type === 'money_counted' && newMoneyMinor(context, event) > 0,
    paysTheRest: ({ context, event }) =>
      event.type === 'money_counted' && newMoneyMinor(context, event) >= amountDueMinor(context),
    refundIsCovered: ({ context, event }) => event.type === 'refund_reserved' && isCovered(context, event),
    creditsTheRest: ({ context, event }) =>
      event.type === 'credit_note_issued' &&
      event.dueReducedMinor === amountDueMinor(context) &&
      returnsPaidMoney(context, event),
    creditsAPart: ({ context, event }) =>
      event.type === 'credit_note_issued' &&
      event.dueReducedMinor < amountDueMinor(context) &&
      returnsPaidMoney(context, event),
    nothingReceived: ({ context }) =>
      context.amountPaidMinor + context.amountOverpaidMinor + processingMinor(context) === 0,
  },
  delays: { dueDate: 0, reminder: 0 },
})

export const HOUR_MS = 3_600_000

export const amountDueMinor = ({
  totalMinor,
  creditAppliedMinor,
  creditNotesMinor,
  amountPaidMinor,
}: Pick<Invoice, 'totalMinor' | 'creditAppliedMinor' | 'creditNotesMinor' | 'amountPaidMinor'>): number =>
  totalMinor - creditAppliedMinor - creditNotesMinor - amountPaidMinor

/**
 * Sums of several payments can be larger than a number can represent, because anyone can mint test dollars. They are given as
 * the largest number. A sum that only grows is stored so; what is processing becomes less again, and is stored exactly.
 */
const atMost = (sum: number): number => Math.min(sum, Number.MAX_SAFE_INTEGER)

export const processingMinor = ({ amountProcessingMinor }: Pick<Invoice, 'amountProcessingMinor'>): number =>
  atMost(Number(amountProcessingMinor))

/** How much of a payment the invoice has counted until now. */
export const countedBeforeMinor = ({ allocations }: Pick<Invoice, 'allocations'>, paymentId: string): number => {
  const before = allocations.find(each => each.paymentId === paymentId)
  return before ? before.amountMinor + before.overpaidMinor + before.excessMinor : 0
}

const newMoneyMinor = (invoice: Invoice, { paymentId, countedMinor }: MoneyCounted): number =>
  Math.max(0, countedMinor - countedBeforeMinor(invoice, paymentId))

/** Money pays what is due. The rest is overpaid. */
const allocate = (invoice: Invoice, counted: MoneyCounted): Partial<Invoice> => {
  const { paymentId, processedMinor, givesNoCredit, at } = counted
  const newMinor = newMoneyMinor(invoice, counted)
  const paidMinor = Math.min(newMinor, amountDueMinor(invoice))
  const overpaidMinor = newMinor - paidMinor
  const leftMinor = invoice.amountProcessingMinor - BigInt(processedMinor)
  const others = invoice.allocations.filter(each => each.paymentId !== paymentId)
  const before = invoice.allocations.find(each => each.paymentId === paymentId)
  const allocation = {
    paymentId,
    amountMinor: (before?.amountMinor ?? 0) + paidMinor,
    overpaidMinor: (before?.overpaidMinor ?? 0) + (givesNoCredit ? 0 : overpaidMinor),
    takenBackMinor: before?.takenBackMinor ?? 0,
    excessMinor: (before?.excessMinor ?? 0) + (givesNoCredit ? overpaidMinor : 0),
    refundedMinor: before?.refundedMinor ?? 0,
    creditedMinor: before?.creditedMinor ?? 0,
    noteRefundsMinor: before?.noteRefundsMinor ?? 0,
    noteCreditMinor: before?.noteCreditMinor ?? 0,
    refundedFirstMinor: before?.refundedFirstMinor ?? 0,
    at: at.toISOString(),
  }
  return {
    amountPaidMinor: invoice.amountPaidMinor + paidMinor,
    amountOverpaidMinor: atMost(invoice.amountOverpaidMinor + overpaidMinor),
    amountProcessingMinor: leftMinor > 0n ? leftMinor : 0n,
    allocations: newMinor === 0 ? invoice.allocations : [...others, allocation],
  }
}

const changeAllocation = (
  { allocations }: Invoice,
  { paymentId }: RefundOfPayment,
  change: (allocation: Allocation) => Allocation,
): Pick<Invoice, 'allocations'> => ({
  allocations: allocations.map(each => (each.paymentId === paymentId ? change(each) : each)),
})

/**
 * Refunds of a payment take back the credit that it gave before they return what it has paid. Those of credit notes return
 * what it has paid. Credit that has paid something else meanwhile cannot be taken back. A refund that is given up returns
 * what is not needed any more, unless the customer was erased, who has no credit, or the balance cannot hold it.
 */
const takenBackMinor = (
  { customerErased }: Pick<Invoice, 'customerErased'>,
  allocation: Allocation,
  event: RefundOfPayment,
): number => {
  const { noteRefundsMinor, refundedFirstMinor, takenBackMinor: before } = allocation
  const { type, refundsReservedMinor, creditMinor, givesNoCredit } = event
  if (event.isOfCreditNote) return before
  const takingMinor = Math.max(0, refundsReservedMinor - noteRefundsMinor - refundedFirstMinor)
  const wantedMinor = Math.min(takingMinor, creditGivenMinor(allocation))
  if (type === 'refund_released') return customerErased || givesNoCredit ? before : Math.min(before, wantedMinor)
  return before + Math.min(Math.max(0, wantedMinor - before), creditMinor)
}

/** What refunds of credit notes return or have returned, with this one. */
const noteRefundsMinor = (
  { noteRefundsMinor: before }: Allocation,
  { type, amountMinor, isOfCreditNote }: RefundOfPayment,
): number => {
  if (!isOfCreditNote) return before
  return type === 'refund_released' ? before - amountMinor : before + amountMinor
}

/** The credit that a payment has given. */
export const creditGivenMinor = ({ overpaidMinor, noteCreditMinor }: Allocation): number =>
  overpaidMinor + noteCreditMinor

/** Whether the amount of a refund becomes credit. A customer who was erased has no credit. */
const becomesCredit = ({ customerErased }: Invoice, event: RefundOfPayment): boolean =>
  event.isOfCreditNote && event.isCanceled && !customerErased

/** The credit note is settled by credit instead of this refund. */
const creditInstead = (
  { creditedMinor, noteCreditMinor, takenBackMinor }: Allocation,
  { amountMinor, refundsReservedMinor }: RefundOfPayment,
  noteRefunds: number,
): Pick<Allocation, 'creditedMinor' | 'noteCreditMinor' | 'refundedFirstMinor'> => ({
  creditedMinor: creditedMinor - amountMinor,
  noteCreditMinor: noteCreditMinor + amountMinor,
  refundedFirstMinor: Math.max(0, refundsReservedMinor - noteRefunds - takenBackMinor),
})

/** What refunds do not take back as credit must be money that the payment has not given as credit. */
const isCovered = (invoice: Invoice, event: RefundOfPayment): boolean => {
  const { paymentId, refundsReservedMinor, receivedMinor } = event
  const allocation = invoice.allocations.find(each => each.paymentId === paymentId)
  if (!allocation) return true
  const fromPaidMinor = refundsReservedMinor - takenBackMinor(invoice, allocation, event)
  return fromPaidMinor <= Math.max(0, receivedMinor - creditGivenMinor(allocation))
}

/** The party is kept as long as the latest document that shows it. */
const nameCreditNote = (
  { creditNoteIds, retainedUntil }: Invoice,
  note: Pick<CreditNoteIssued, 'creditNoteId' | 'retainedUntil'>,
): Pick<Invoice, 'creditNoteIds' | 'retainedUntil'> => ({
  creditNoteIds: [...creditNoteIds, note.creditNoteId],
  retainedUntil: retainedUntil !== null && retainedUntil > note.retainedUntil ? retainedUntil : note.retainedUntil,
})

/** What this credit note returns of the payment. */
const returnedMinor = ({ refunds }: Pick<CreditNoteIssued, 'refunds'>, paymentId: string): number =>
  refunds.reduce((sum, each) => (each.paymentId === paymentId ? sum + each.amountMinor : sum), 0)

/** Credit notes return no more of a payment than it has paid. */
const returnsPaidMoney = ({ allocations }: Invoice, event: CreditNoteIssued): boolean =>
  event.refunds.every(({ paymentId }) => {
    const allocation = allocations.find(each => each.paymentId === paymentId)
    return (
      allocation !== undefined && allocation.creditedMinor + returnedMinor(event, paymentId) <= allocation.amountMinor
    )
  })

/** The part of the processed refunds that returned what payments have paid of the invoice, and that no credit note covers. */
const sumOfUncredited = (allocations: readonly Allocation[]): number =>
  allocations.reduce((sum, { amountMinor, takenBackMinor, excessMinor, refundedMinor, creditedMinor }) => {
    const uncreditedMinor = Math.max(0, refundedMinor - takenBackMinor - excessMinor - creditedMinor)
    return sum + Math.min(amountMinor, uncreditedMinor)
  }, 0)
