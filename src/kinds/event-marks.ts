import type { CreditNoteEvent } from '../../machines/credit-note.ts'
import type { CustomerEvent } from '../../machines/customer.ts'
import type { DeliveryEvent } from '../../machines/delivery.ts'
import type { DisputeEvent } from '../../machines/dispute.ts'
import type { DocumentSeriesEvent } from '../../machines/document-series.ts'
import type { InvoiceEvent } from '../../machines/invoice-events.ts'
import type { PaymentEvent } from '../../machines/payment-events.ts'
import type { PaymentLinkEvent } from '../../machines/payment-link.ts'
import type { PlanEvent } from '../../machines/plan.ts'
import type { RefundEvent } from '../../machines/refund.ts'
import type { SubscriptionEvent } from '../../machines/subscription-events.ts'
import type { TestClockEvent } from '../../machines/test-clock.ts'
import type { MachineName } from '../resources.ts'

/** Who sends an event. */
export type SentBy = 'customer' | 'chain' | 'merchant' | 'operator' | 'timer' | 'system'

/**
 * Who sends each event, and whether an operator may. `operator`: `always`, or `test` for test mode only. Events that
 * accept or send money, name a destination or report what a chain shows are never for operators.
 * `action`: the request of the API that sends the event, by the last part of its path; `update` is PATCH, and `delete` is
 * DELETE. Missing if callers cannot request the event alone.
 */
export type EventMark = { readonly by: SentBy; readonly operator?: 'always' | 'test'; readonly action?: string }

type MachineEvents = {
  readonly payment: PaymentEvent
  readonly refund: RefundEvent
  readonly payment_link: PaymentLinkEvent
  readonly dispute: DisputeEvent
  readonly customer: CustomerEvent
  readonly invoice: InvoiceEvent
  readonly subscription: SubscriptionEvent
  readonly credit_note: CreditNoteEvent
  readonly plan: PlanEvent
  readonly document_series: DocumentSeriesEvent
  readonly test_clock: TestClockEvent
  readonly delivery: DeliveryEvent
}

type Marks<Event extends { readonly type: string }> = { readonly [Type in Event['type']]: EventMark }

/**
 * Every event of every machine: without the marks of a machine or of an event this does not compile. A test compares them
 * with the machines. Events of `after` are of timers.
 */
export const eventMarks: { readonly [Name in MachineName]: Marks<MachineEvents[Name]> } = {
  payment: {
    asset_picked: { by: 'customer' },
    enough_seen: { by: 'chain' },
    too_little_seen: { by: 'chain' },
    less_seen: { by: 'chain' },
    reorganized: { by: 'chain' },
    amount_seen: { by: 'chain' },
    finalized: { by: 'chain' },
    late_accepted: { by: 'chain' },
    late_finalized: { by: 'chain' },
    amount_finalized: { by: 'chain' },
    stray_seen: { by: 'chain' },
    stray_gone: { by: 'chain' },
    price_missed: { by: 'chain' },
    collection_unexplained: { by: 'chain' },
    collection_gone: { by: 'chain' },
    submission_failed: { by: 'chain' },
    window_over: { by: 'timer' },
    cancel: { by: 'merchant', action: 'cancel' },
    accept: { by: 'merchant', action: 'resolve' },
    dismiss: { by: 'merchant', action: 'resolve', operator: 'always' },
    end_window: { by: 'merchant', operator: 'test' },
    reserve_refund: { by: 'merchant', action: 'refunds' },
    release_refund: { by: 'system' },
    refund_processed: { by: 'chain' },
  },
  refund: {
    destination_named: { by: 'customer' },
    transaction_sent: { by: 'system', action: 'transaction' },
    transaction_replaced: { by: 'system' },
    transaction_gone: { by: 'chain' },
    transaction_verified: { by: 'chain' },
    transaction_failed: { by: 'chain' },
    stray_transfer_seen: { by: 'chain' },
    retry: { by: 'merchant', action: 'retry' },
    cancel: { by: 'merchant', action: 'cancel' },
    dismiss: { by: 'merchant', action: 'resolve', operator: 'always' },
  },
  payment_link: {
    open_payment: { by: 'customer' },
    payment_processing: { by: 'chain' },
    payment_reverted: { by: 'chain' },
    payment_succeeded: { by: 'chain' },
    payment_accepted: { by: 'chain' },
    deactivate: { by: 'merchant', action: 'deactivate', operator: 'always' },
    close: { by: 'merchant' },
  },
  dispute: {
    evidence_given: { by: 'merchant', action: 'evidence' },
    evidence_submitted: { by: 'merchant', action: 'evidence' },
    resolve: { by: 'merchant', action: 'resolve' },
  },
  customer: {
    update: { by: 'merchant', action: 'update' },
    merge: { by: 'merchant', action: 'merge' },
    absorb: { by: 'merchant' },
    adjust_credit: { by: 'merchant', action: 'credit' },
    erase: { by: 'merchant', action: 'erase' },
    copies_erased: { by: 'system' },
  },
  invoice: {
    update: { by: 'merchant', action: 'update' },
    delete: { by: 'merchant', action: 'delete' },
    discard: { by: 'timer' },
    finalize: { by: 'merchant', action: 'finalize' },
    due_date_passed: { by: 'timer' },
    reminder_passed: { by: 'timer' },
    remind: { by: 'merchant', action: 'remind' },
    payment_processing: { by: 'chain' },
    payment_reverted: { by: 'chain' },
    money_counted: { by: 'chain' },
    refund_reserved: { by: 'merchant' },
    refund_released: { by: 'merchant' },
    refund_processed: { by: 'chain' },
    mark_uncollectible: { by: 'merchant', action: 'uncollectible' },
    credit_note_issued: { by: 'merchant', action: 'credit-notes' },
    void: { by: 'merchant', action: 'void' },
    rotate_url: { by: 'merchant', action: 'rotate-url' },
  },
  subscription: {
    begin_trial: { by: 'merchant' },
    begin: { by: 'merchant' },
    invoice_paid: { by: 'system' },
    invoice_voided: { by: 'merchant' },
    expire: { by: 'system' },
    pause: { by: 'merchant', action: 'pause' },
    resume: { by: 'merchant', action: 'resume' },
    cancel_at_end: { by: 'merchant', action: 'cancel' },
    cancel: { by: 'merchant', action: 'cancel' },
    uncancel: { by: 'merchant', action: 'uncancel' },
    change: { by: 'merchant', action: 'change' },
    update: { by: 'merchant', action: 'update' },
    extend_grace: { by: 'system' },
    rotate_url: { by: 'merchant', action: 'rotate-url' },
  },
  credit_note: {},
  plan: {
    update: { by: 'merchant', action: 'update' },
    archive: { by: 'merchant', action: 'archive' },
  },
  document_series: {
    issue: { by: 'merchant' },
    set_next_number: { by: 'merchant' },
  },
  test_clock: {
    advance: { by: 'merchant', action: 'advance' },
    arrive: { by: 'system' },
    delete: { by: 'merchant', action: 'delete' },
  },
  delivery: {
    attempt_started: { by: 'system' },
    attempt_succeeded: { by: 'system' },
    attempt_failed: { by: 'system' },
    attempt_failed_permanently: { by: 'system' },
    attempt_lost: { by: 'system' },
    redeliver: { by: 'merchant', action: 'redeliver', operator: 'always' },
    cancel: { by: 'system', operator: 'always' },
  },
}

/**
 * The states that the chain, a timer or the server itself leaves, so that an actor that stays in one for too long is
 * stuck. In the other states an actor has ended or waits for a person.
 */
export const drivenStates: { readonly [Name in MachineName]: readonly string[] } = {
  payment: ['pending', 'processing'],
  refund: ['requires_signature', 'processing'],
  payment_link: [],
  dispute: ['needs_response'],
  invoice: [],
  customer: ['erasing'],
  subscription: [],
  credit_note: [],
  plan: [],
  document_series: [],
  test_clock: ['advancing'],
  delivery: ['pending', 'sending'],
}

/** The mark of an event as the machine names it: `after.…` in histories, `xstate.after.…` in the machine. */
export const markOf = (kind: MachineName, event: string): EventMark | undefined => {
  if (/^(xstate\.)?after\./.test(event)) return { by: 'timer' }
  const marks: Readonly<Record<string, EventMark>> = eventMarks[kind]
  return Object.hasOwn(marks, event) ? marks[event] : undefined
}

/** Whether an operator may send the event to an actor of this mode. */
export const isForOperators = (kind: MachineName, event: string, livemode: boolean): boolean => {
  const operator = markOf(kind, event)?.operator
  return operator === 'always' || (operator === 'test' && !livemode)
}
