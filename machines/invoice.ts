import { emit } from 'xstate'
import { invoiceRules } from './invoice-rules.ts'

/** Its payments can be refunded in every state. */
const refunds = invoiceRules.createStateConfig({
  on: {
    refund_reserved: { guard: 'refundIsCovered', actions: 'takeBackCredit' },
    refund_released: { actions: 'takeBackCredit' },
    refund_processed: { actions: 'countRefund' },
  },
})

/** Until all is paid. */
const unpaid = invoiceRules.createStateConfig({
  on: {
    ...refunds.on,
    payment_processing: { actions: 'countProcessing' },
    payment_reverted: { guard: 'someProcessing', actions: 'countProcessing' },
    money_counted: [
      {
        guard: 'paysTheRest',
        target: 'paid',
        actions: [
          'allocate',
          'recordPaid',
          'clearOverdue',
          emit({ type: 'invoice.payment_received' }),
          emit({ type: 'invoice.paid' }),
          'renewSubscription',
          'cancelPayments',
        ],
      },
      { guard: 'moneyCounts', actions: ['allocate', emit({ type: 'invoice.payment_received' })] },
      { actions: 'allocate' },
    ],
    credit_note_issued: [
      {
        guard: 'creditsTheRest',
        target: 'paid',
        actions: [
          'recordCreditNote',
          'recordPaid',
          'clearOverdue',
          emit({ type: 'invoice.paid' }),
          'renewSubscription',
          'cancelPayments',
        ],
      },
      { guard: 'creditsAPart', actions: 'recordCreditNote' },
    ],
    void: {
      guard: 'nothingReceived',
      target: 'void',
      actions: ['recordVoid', 'clearOverdue', emit({ type: 'invoice.voided' }), 'cancelPayments'],
    },
    rotate_url: { actions: 'replaceToken' },
  },
})

/** Payments that have received something continue when nothing is due any more. Their money is credited to the customer. */
const settled = invoiceRules.createStateConfig({
  on: {
    ...refunds.on,
    payment_processing: { actions: 'countProcessing' },
    payment_reverted: { guard: 'someProcessing', actions: 'countProcessing' },
    money_counted: { actions: 'allocate' },
  },
})

export const invoiceMachine = invoiceRules.createMachine({
  id: 'invoice',
  context: ({ input: { at, page, ...opening } }) => ({
    ...opening,
    ...notIssued,
    ...page,
    customerErased: false,
    creditNotesMinor: 0,
    amountPaidMinor: 0,
    amountProcessingMinor: 0n,
    amountOverpaidMinor: 0,
    amountRefundedMinor: 0,
    uncreditedRefundsMinor: 0,
    allocations: [],
    creditNoteIds: [],
    overdue: false,
    duePassed: false,
    remindersPassed: 0,
    remindedOffset: null,
    remindedAt: null,
    paidAt: null,
    voidedAt: null,
    voidReason: null,
  }),
  initial: { target: 'draft', actions: ['joinCustomer', emit({ type: 'invoice.created' })] },
  states: {
    draft: {
      on: {
        update: { guard: 'isNotPayable', actions: ['replaceContent', 'joinCustomer'] },
        delete: { guard: 'isNotPayable', target: 'deleted', actions: 'clearContent' },
        // With its subscription, which was not paid in time.
        discard: { guard: 'isPayable', target: 'deleted', actions: ['clearContent', 'clearPage'] },
        finalize: [
          {
            guard: 'nothingIsDue',
            target: 'paid',
            actions: ['freeze', 'recordPaid', emit({ type: 'invoice.finalized' }), emit({ type: 'invoice.paid' })],
          },
          { guard: 'somethingIsDue', target: 'open', actions: ['freeze', emit({ type: 'invoice.finalized' })] },
        ],
      },
    },
    open: {
      // Each enters the state again, which arms the timer of the next reminder. What the times cause waits until the
      // chains have been read as far: see src/chain/watch/invoice-times.ts.
      after: {
        dueDate: { target: 'open', reenter: true, actions: 'passDueDate' },
        reminder: { target: 'open', reenter: true, actions: 'passReminder' },
      },
      on: {
        ...unpaid.on,
        due_date_passed: { guard: 'isOverdue', actions: ['flagOverdue', emit({ type: 'invoice.overdue' })] },
        reminder_passed: { guard: 'reminderIsDue', actions: ['recordReminder', emit({ type: 'invoice.reminder' })] },
        remind: { guard: 'mayRemindAgain', actions: ['recordRequestedReminder', emit({ type: 'invoice.reminder' })] },
        mark_uncollectible: {
          target: 'uncollectible',
          actions: ['clearOverdue', emit({ type: 'invoice.uncollectible' })],
        },
      },
    },
    uncollectible: unpaid,
    paid: {
      on: {
        ...settled.on,
        money_counted: [
          { guard: 'moneyCounts', actions: ['allocate', emit({ type: 'invoice.payment_received' })] },
          { actions: 'allocate' },
        ],
        // Nothing is due, so it is credit or refunds.
        credit_note_issued: { guard: 'creditsTheRest', actions: 'recordCreditNote' },
        rotate_url: { actions: 'replaceToken' },
      },
    },
    void: settled,
    // A payment may have been opened before. Its money is credited to the customer.
    deleted: settled,
  },
})

const notIssued = {
  number: null,
  seriesId: null,
  sequence: null,
  issuedAt: null,
  issueDate: null,
  dueAt: null,
  seller: null,
  customer: null,
  partySalt: null,
  partyHash: null,
  documentHash: null,
  previousDocumentHash: null,
  reminders: [],
  retainedUntil: null,
  creditAppliedMinor: 0,
  paymentLinkId: null,
  tokenHash: null,
  sealedToken: null,
}
