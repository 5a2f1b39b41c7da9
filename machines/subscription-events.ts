import type { InvoiceContent, PageToken } from './invoice-events.ts'
import type { PlanPrice } from './plan.ts'

export type SubscriptionPrice = PlanPrice & { planId: string | null }

/** What the periods cost that are not invoiced yet. `fromIndex`: the first of them. */
export type PendingChange = SubscriptionPrice & { fromIndex: number }

export type SubscriptionOpening = SubscriptionPrice & {
  merchantId: string
  livemode: boolean
  apiVersion: string
  customerId: string
  /** That of its customer: its times are those of the clock. */
  testClockId: string | null
  source: 'merchant' | 'checkout'
  /** What the visitor of the page of a plan has typed. Null if the merchant created the subscription, and when it was erased. */
  payer: { email: string; name: string | null; locale: string | null } | null
  /** Identifies the e-mail address of a trial that began on the page of the plan: there is one for each plan. */
  trialKey: string | null
  /** Whether the merchant has confirmed who the customer is. */
  verified: boolean
  interval: 'day' | 'week' | 'month' | 'year'
  intervalCount: number
  /** Periods are counted from it. Unless it was given, it becomes the time at which the first invoice is paid. */
  anchorAt: Date
  anchorGiven: boolean
  /** It is the anchor too. */
  trialEndsAt: Date | null
  leadDays: number
  graceDays: number
  maxPeriods: number | null
  /** Whether it begins when its first invoice is paid, or when it is created. */
  activation: 'on_payment' | 'immediate'
  afterGrace: 'cancel' | 'pause'
  assets: InvoiceContent['assets']
  reference: string | null
  metadata: Readonly<Record<string, string>>
} & PageToken

/** An invoice that was issued for a period. `isPaid`: nothing was due. `dueAt`: null for a draft that can be paid. */
export type IssuedInvoice = { invoiceId: string; periodIndex: number; dueAt: Date | null; isPaid: boolean }

/** `isVoid`: the merchant has voided it, so its period costs nothing. Only of a period that has not begun. */
export type UnpaidInvoice = { invoiceId: string; periodIndex: number; isVoid?: true }

export type EndReason = 'requested' | 'unpaid' | 'incomplete' | 'completed' | 'customer'

export type Subscription = SubscriptionOpening & {
  /** Null before the first period. Calendars are none of the machine's business: src/billing/periods.ts knows its times. */
  periodIndex: number | null
  /** The last period that was invoiced. */
  invoicedIndex: number | null
  latestInvoiceId: string | null
  /** The invoices that are not paid, oldest first. None after the subscription has ended. */
  unpaid: readonly UnpaidInvoice[]
  /** When the first invoice of a subscription that began before it was paid is due. Null if it was paid, and afterwards. */
  firstDueAt: Date | null
  trialEndingSent: boolean
  /** The period whose invoice is not paid in time, in `past_due`. */
  owedIndex: number | null
  graceEndsAt: Date | null
  pauseAtPeriodEnd: boolean
  /** Null unless it is paused. */
  pausedAt: Date | null
  resumesAt: Date | null
  /** The period that begins when a paused subscription is resumed. */
  resumeIndex: number | null
  cancelAtPeriodEnd: boolean
  canceledAt: Date | null
  /** On the page of the subscription, where it can be withdrawn too. */
  canceledByCustomer: boolean
  endedAt: Date | null
  endReason: EndReason | null
  pendingChange: PendingChange | null
}

export type SubscriptionChanges = Partial<
  Pick<Subscription, 'metadata' | 'reference' | 'graceDays' | 'leadDays' | 'verified'>
>

/** The invoices that the bundle of an event voids. */
type Voiding = { voided: readonly string[] }

/**
 * Its timers are planned: src/commands/subscription-timers.ts sends their events with these fields, in one bundle with the
 * invoice that is issued or voided. `dueAt`: when the timer was due, so that what an outage delays is counted from then.
 */
export type SubscriptionTimerFields = {
  invoice: IssuedInvoice
  boundary: { dueAt: Date } & Voiding
  firstDue: { dueAt: Date }
  grace: Voiding
  expiry: Voiding
  resume: { resumeIndex: number }
}

/** `begin` and `begin_trial` are in the bundle that creates the subscription. */
export type SubscriptionEvent = { at: Date } & (
  | { type: 'begin_trial' }
  | ({ type: 'begin' } & IssuedInvoice)
  | { type: 'invoice_paid'; invoiceId: string; paidAt: Date }
  /** The merchant has voided an invoice. */
  | ({ type: 'invoice_voided' } & Voiding)
  | ({ type: 'pause'; resumesAt: Date | null } & Voiding)
  /** `resumeIndex`: the first period that begins after it. */
  | { type: 'resume'; resumeIndex: number }
  | ({ type: 'cancel_at_end'; reason?: 'customer' } & Voiding)
  | ({ type: 'cancel'; reason: 'requested' | 'customer' } & Voiding)
  /** When its test clock is deleted: the first invoice will never be paid. */
  | ({ type: 'expire' } & Voiding)
  | { type: 'uncancel' }
  | ({ type: 'change'; price: SubscriptionPrice } & Voiding)
  | { type: 'update'; changes: SubscriptionChanges }
  /** After an outage over the end of the grace. */
  | { type: 'extend_grace'; graceEndsAt: Date }
  | ({ type: 'rotate_url' } & PageToken)
)
