import { subscriptionMachine } from '../../machines/subscription.ts'
import type { SubscriptionOpening, SubscriptionPrice } from '../../machines/subscription-events.ts'
import { largestMetadata, largestText, MAX_AMOUNT } from './largest.ts'
import { type Cases, minutes } from './table.ts'

const DAY = 1_440

const line = (unitAmountMinor: number) => ({
  ...{ id: 'line_1', description: 'Light', quantity: '1', unitAmountMinor, amountMinor: unitAmountMinor },
  ...{ taxRateBps: 0, taxCategory: 'zero' as const, taxNote: null, periodStart: null, periodEnd: null },
})

const priceOf = (totalMinor: number, planId: string | null = null): SubscriptionPrice => ({
  ...{ planId, currency: 'USD', taxBehavior: 'exclusive', lines: [line(totalMinor)] },
  taxes: [{ taxCategory: 'zero', taxRateBps: 0, netMinor: totalMinor, taxMinor: 0 }],
  ...{ subtotalMinor: totalMinor, taxMinor: 0, totalMinor },
})

/** That of another plan. */
const planPrice = priceOf(2000, '0193a000-0000-7000-8000-00000000000d')

/** By months, with a grace of three days. */
export const subscriptionOpening: SubscriptionOpening = {
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  apiVersion: '2026-11-20',
  customerId: '0193a000-0000-7000-8000-00000000000e',
  testClockId: null,
  source: 'merchant',
  ...{ verified: true, payer: null, trialKey: null },
  ...priceOf(1000),
  ...{ interval: 'month', intervalCount: 1, anchorAt: minutes(0), anchorGiven: false, trialEndsAt: null },
  ...{ leadDays: 7, graceDays: 3, maxPeriods: 3, activation: 'on_payment', afterGrace: 'cancel' },
  ...{ assets: null, reference: 'contract 7', metadata: {}, tokenHash: 'a'.repeat(64), sealedToken: 'sealed a' },
}

/** Subscribed on the page of a plan. */
const visited = {
  ...{ source: 'checkout', planId: '0193a000-0000-7000-8000-000000000021', trialKey: 'ada@example.com' },
  payer: { email: 'ada@example.com', name: 'Ada', locale: null },
}

export const invoiceIdOf = (periodIndex: number) =>
  `0193a000-0000-7000-8000-0000000001${String(periodIndex).padStart(2, '0')}`

export const issued = (periodIndex: number, isPaid = false) => ({
  ...{ invoiceId: invoiceIdOf(periodIndex), periodIndex, dueAt: minutes(30 * DAY * (periodIndex + 1)), isPaid },
})

const begin = (more: object = {}) => ({ type: 'begin', ...issued(0), dueAt: minutes(14 * DAY), ...more })
const paid = (periodIndex: number) => ({
  ...{ type: 'invoice_paid', invoiceId: invoiceIdOf(periodIndex), paidAt: minutes(5) },
})
const voiding = (type: string, ...voided: readonly number[]) => ({ type, voided: voided.map(invoiceIdOf) })

const unpaid = (periodIndex: number) =>
  `unpaid=${JSON.stringify([{ invoiceId: invoiceIdOf(periodIndex), periodIndex }])}`
const voided = (periodIndex: number) =>
  `unpaid=${JSON.stringify([{ invoiceId: invoiceIdOf(periodIndex), periodIndex, isVoid: true }])}`
const latest = (periodIndex: number) => `latestInvoiceId=${invoiceIdOf(periodIndex)}`
const changed = (fromIndex: number) => `pendingChange=${JSON.stringify({ ...planPrice, fromIndex })}`
const changedPrice = (() => {
  const { planId, lines, taxes } = planPrice
  return `planId=${planId} lines=${JSON.stringify(lines)} taxes=${JSON.stringify(taxes)} subtotalMinor=2000 totalMinor=2000`
})()

/** As the planner sends it. */
const timerOf = (timer: string, state: string, fields: object) => ({
  ...{ type: `xstate.after.${timer}.subscription.${state}`, at: minutes(0), ...fields },
})

export const subscriptions: Cases = {
  machine: subscriptionMachine,
  input: { ...subscriptionOpening, ...visited },
  events: {
    begin: begin(),
    'begin paid': begin({ isPaid: true }),
    'begin trial': { type: 'begin_trial' },
    'paid 0': paid(0),
    'paid 1': paid(1),
    'paid 2': paid(2),
    'void 0': voiding('invoice_voided', 0),
    'void 1': voiding('invoice_voided', 1),
    'void 2': voiding('invoice_voided', 2),
    expire: voiding('expire', 0),
    'after expiry': voiding('xstate.after', 0),
    'after trialEnding': { type: 'xstate.after' },
    'after firstDue': { type: 'xstate.after', dueAt: minutes(14 * DAY) },
    'after invoice 0': { type: 'xstate.after', ...issued(0) },
    'after invoice 1': { type: 'xstate.after', ...issued(1) },
    'after invoice 2': { type: 'xstate.after', ...issued(2) },
    'after invoice 2 paid': { type: 'xstate.after', ...issued(2, true) },
    'after boundary': { type: 'xstate.after', dueAt: minutes(31 * DAY) },
    'after grace': voiding('xstate.after', 1),
    'after resume': { type: 'xstate.after', resumeIndex: 2 },
    pause: { ...voiding('pause', 1), resumesAt: null },
    'pause until': { ...voiding('pause'), resumesAt: minutes(99 * DAY) },
    resume: { type: 'resume', resumeIndex: 2 },
    'cancel at end': voiding('cancel_at_end', 1),
    'cancel at end without voiding': voiding('cancel_at_end'),
    'cancel now': { ...voiding('cancel', 1), reason: 'requested' },
    uncancel: { type: 'uncancel' },
    change: { ...voiding('change', 1), price: planPrice },
    update: { type: 'update', changes: { metadata: { a: 'b' }, graceDays: 4 } },
    'rotate url': { type: 'rotate_url', tokenHash: 'b'.repeat(64), sealedToken: 'sealed b' },
    'extend grace': { type: 'extend_grace', graceEndsAt: minutes(40 * DAY) },
  },
  situations: {
    new: '',
    incomplete: 'begin',
    trialing: 'begin trial',
    'trial invoiced': 'begin trial, after invoice 0',
    'trial paid': 'begin trial, after invoice 0, paid 0',
    'trial canceling': 'begin trial, cancel at end',
    active: 'begin, paid 0',
    invoiced: 'begin, paid 0, after invoice 1',
    'next paid': 'begin, paid 0, after invoice 1, paid 1',
    'next void': 'begin, paid 0, after invoice 1, void 1',
    'unvoided canceling': 'begin, paid 0, after invoice 1, cancel at end without voiding',
    pausing: 'begin, paid 0, pause',
    canceling: 'begin, paid 0, after invoice 1, cancel at end',
    'canceling paid': 'begin, paid 0, after invoice 1, paid 1, cancel at end',
    changing: 'begin, paid 0, after invoice 1, change',
    'changing invoiced': 'begin, paid 0, change, after invoice 1, paid 1',
    'changing paid': 'begin, paid 0, after invoice 1, paid 1, change',
    past_due: 'begin, paid 0, after invoice 1, after boundary',
    'past_due canceling': 'begin, paid 0, after invoice 1, after boundary, cancel at end without voiding',
    'past_due pausing': 'begin, paid 0, after invoice 1, after boundary, pause until',
    paused: 'begin, paid 0, pause until, after boundary',
    resuming: 'begin, paid 0, pause, after boundary, resume',
    'resuming invoiced': 'begin, paid 0, pause, after boundary, resume, after invoice 2',
    'resuming paid': 'begin, paid 0, pause, after boundary, resume, after invoice 2, paid 2',
    last: 'begin, paid 0, after invoice 1, paid 1, after boundary, after invoice 2 paid, after boundary',
    canceled: 'begin, paid 0, cancel now',
    expired: 'begin, after expiry',
    completed:
      'begin, paid 0, after invoice 1, paid 1, after boundary, after invoice 2 paid, after boundary, after boundary',
  },
  table: `
    The address of its page can be changed until it has ended.
    incomplete, trialing, trial invoiced, trial paid, trial canceling, active, invoiced, next void, unvoided canceling, next paid, pausing, canceling, canceling paid, changing, last, past_due, past_due canceling, past_due pausing, paused, resuming, resuming invoiced, resuming paid, changing invoiced, changing paid | rotate url | stays |  | tokenHash=${'b'.repeat(64)} sealedToken=sealed b

    It begins with a trial, with an invoice to be paid first, or immediately.
    new                                                   | begin                         | incomplete | subscription.created +expiry                                                         | invoicedIndex=0 ${latest(0)} ${unpaid(0)}
    new                                                   | begin paid                    | active     | subscription.created subscription.activated +invoice +firstDue +boundary             | periodIndex=0 invoicedIndex=0 ${latest(0)}
    new                                                   | begin trial                   | trialing   | subscription.created +trialEnding +invoice +boundary                                 |

    The first invoice is paid in seven days, or the subscription has expired.
    incomplete                                            | paid 0                        | active     | -expiry subscription.activated +invoice +firstDue +boundary                          | anchorAt=+5m periodIndex=0 unpaid=[]
    incomplete                                            | after expiry                  | expired    | -expiry subscription.expired                                                         | unpaid=[] endedAt=+0m endReason=incomplete
    incomplete                                            | void 0                        | expired    | -expiry subscription.expired                                                         | unpaid=[] endedAt=+0m endReason=incomplete
    incomplete                                            | expire                        | expired    | -expiry subscription.expired                                                         | unpaid=[] endedAt=+0m endReason=incomplete
    incomplete                                            | update                        | stays      | subscription.updated                                                                 | graceDays=4 metadata={"a":"b"}

    At the end of a trial the first period begins if its invoice is paid.
    trialing, trial invoiced, trial paid, trial canceling | after trialEnding             | stays      | subscription.trial_ending                                                            | trialEndingSent=true
    trialing                                              | after invoice 0               | stays      | -trialEnding -invoice -boundary +trialEnding +invoice +boundary                      | invoicedIndex=0 ${latest(0)} ${unpaid(0)}
    trialing, trial invoiced, trial paid                  | cancel at end                 | stays      | -trialEnding -invoice -boundary subscription.updated +trialEnding +invoice +boundary | cancelAtPeriodEnd=true canceledAt=+0m
    trialing, trial invoiced, trial paid                  | cancel at end without voiding | stays      | -trialEnding -invoice -boundary subscription.updated +trialEnding +invoice +boundary | cancelAtPeriodEnd=true canceledAt=+0m
    trialing, trial paid                                  | cancel now                    | canceled   | -trialEnding -invoice -boundary subscription.canceled                                | canceledAt=+0m endedAt=+0m endReason=requested
    trial invoiced                                        | cancel now                    | canceled   | -trialEnding -invoice -boundary subscription.canceled                                | unpaid=[] canceledAt=+0m endedAt=+0m endReason=requested
    trialing, trial canceling                             | change                        | stays      | -trialEnding -invoice -boundary !joinPlan subscription.updated +trialEnding +invoice +boundary | ${changed(0)}
    trial invoiced, trial paid                            | change                        | stays      | -trialEnding -invoice -boundary !joinPlan subscription.updated +trialEnding +invoice +boundary | ${changed(1)}
    trialing, trial invoiced, trial paid, trial canceling | update                        | stays      | -trialEnding -invoice -boundary subscription.updated +trialEnding +invoice +boundary | graceDays=4 metadata={"a":"b"}
    trial invoiced                                        | paid 0                        | stays      |                                                                                      | unpaid=[]
    trial invoiced                                        | void 0                        | stays      |                                                                                      | ${voided(0)}
    trial invoiced                                        | after boundary                | past_due   | -trialEnding -invoice -boundary subscription.past_due +grace                         | owedIndex=0 graceEndsAt=+48960m
    trial paid                                            | after boundary                | active     | -trialEnding -invoice -boundary subscription.activated +invoice +firstDue +boundary  | periodIndex=0
    trial canceling                                       | after boundary                | canceled   | -trialEnding -invoice -boundary subscription.canceled                                | cancelAtPeriodEnd=false endedAt=+0m endReason=requested
    trial canceling                                       | cancel now                    | canceled   | -trialEnding -invoice -boundary subscription.canceled                                | cancelAtPeriodEnd=false endedAt=+0m endReason=requested
    trial canceling                                       | uncancel                      | stays      | -trialEnding -invoice -boundary subscription.updated +trialEnding +invoice +boundary | cancelAtPeriodEnd=false canceledAt=null

    A period that ends is followed by the next one if its invoice is paid.
    active, invoiced, next void, unvoided canceling, next paid, pausing, canceling, canceling paid, changing, last, changing invoiced, changing paid | after firstDue                | stays      |                                                                                      |
    active                                                | after invoice 1               | stays      | -invoice -firstDue -boundary +invoice +firstDue +boundary                            | invoicedIndex=1 ${latest(1)} ${unpaid(1)}
    active, next paid, changing, changing invoiced, changing paid | pause                         | stays      | -invoice -firstDue -boundary subscription.updated +invoice +firstDue +boundary       | pauseAtPeriodEnd=true
    active, invoiced, next void, next paid, changing, changing invoiced, changing paid | pause until                   | stays      | -invoice -firstDue -boundary subscription.updated +invoice +firstDue +boundary       | pauseAtPeriodEnd=true resumesAt=+142560m
    active, next paid, pausing, changing, last, changing invoiced, changing paid | cancel at end                 | stays      | -invoice -firstDue -boundary subscription.updated +invoice +firstDue +boundary       | cancelAtPeriodEnd=true canceledAt=+0m
    active, invoiced, next void, next paid, pausing, changing, last, changing invoiced, changing paid | cancel at end without voiding | stays      | -invoice -firstDue -boundary subscription.updated +invoice +firstDue +boundary       | cancelAtPeriodEnd=true canceledAt=+0m
    active, next paid, last                               | cancel now                    | canceled   | -invoice -firstDue -boundary subscription.canceled                                   | canceledAt=+0m endedAt=+0m endReason=requested
    active, pausing, canceling                            | change                        | stays      | -invoice -firstDue -boundary !joinPlan subscription.updated +invoice +firstDue +boundary       | ${changed(1)}
    next paid, canceling paid                             | change                        | stays      | -invoice -firstDue -boundary !joinPlan subscription.updated +invoice +firstDue +boundary       | ${changed(2)}
    active, invoiced, next void, unvoided canceling, next paid, pausing, canceling, canceling paid, changing, last, changing invoiced, changing paid | update                        | stays      | -invoice -firstDue -boundary subscription.updated +invoice +firstDue +boundary       | graceDays=4 metadata={"a":"b"}
    invoiced, next void, unvoided canceling               | paid 1                        | stays      |                                                                                      | unpaid=[]
    invoiced                                              | void 1                        | stays      |                                                                                      | ${voided(1)}
    next void                                             | void 1                        | stays      |                                                                                      | 
    next void                                             | after boundary                | stays      | -invoice -firstDue -boundary subscription.renewed +invoice +firstDue +boundary       | periodIndex=1 unpaid=[]
    unvoided canceling                                    | void 1                        | stays      |                                                                                      | invoicedIndex=0 unpaid=[]
    invoiced                                              | after boundary                | past_due   | -invoice -firstDue -boundary subscription.past_due +grace                            | owedIndex=1 graceEndsAt=+48960m
    invoiced, next void                                   | pause                         | stays      | -invoice -firstDue -boundary subscription.updated +invoice +firstDue +boundary       | invoicedIndex=0 unpaid=[] pauseAtPeriodEnd=true
    invoiced, next void                                   | cancel at end                 | stays      | -invoice -firstDue -boundary subscription.updated +invoice +firstDue +boundary       | invoicedIndex=0 unpaid=[] cancelAtPeriodEnd=true canceledAt=+0m
    invoiced, next void                                   | cancel now                    | canceled   | -invoice -firstDue -boundary subscription.canceled                                   | unpaid=[] canceledAt=+0m endedAt=+0m endReason=requested
    invoiced, next void, unvoided canceling               | change                        | stays      | -invoice -firstDue -boundary !joinPlan subscription.updated +invoice +firstDue +boundary       | invoicedIndex=0 unpaid=[] ${changed(1)}
    next paid, canceling paid                             | after boundary                | stays      | -invoice -firstDue -boundary subscription.renewed +invoice +firstDue +boundary       | periodIndex=1
    pausing                                               | after boundary                | paused     | -invoice -firstDue -boundary subscription.paused +resume +invoice +boundary          | pauseAtPeriodEnd=false pausedAt=+0m
    pausing                                               | resume                        | stays      | -invoice -firstDue -boundary subscription.updated +invoice +firstDue +boundary       | pauseAtPeriodEnd=false
    pausing                                               | cancel now                    | canceled   | -invoice -firstDue -boundary subscription.canceled                                   | pauseAtPeriodEnd=false canceledAt=+0m endedAt=+0m endReason=requested
    canceling                                             | after boundary                | canceled   | -invoice -firstDue -boundary subscription.canceled                                   | cancelAtPeriodEnd=false endedAt=+0m endReason=requested
    unvoided canceling                                    | after boundary                | canceled   | -invoice -firstDue -boundary subscription.canceled                                   | unpaid=[] cancelAtPeriodEnd=false endedAt=+0m endReason=requested
    canceling, canceling paid                             | cancel now                    | canceled   | -invoice -firstDue -boundary subscription.canceled                                   | cancelAtPeriodEnd=false endedAt=+0m endReason=requested
    unvoided canceling                                    | cancel now                    | canceled   | -invoice -firstDue -boundary subscription.canceled                                   | unpaid=[] cancelAtPeriodEnd=false endedAt=+0m endReason=requested
    canceling, canceling paid, unvoided canceling         | uncancel                      | stays      | -invoice -firstDue -boundary subscription.updated +invoice +firstDue +boundary       | cancelAtPeriodEnd=false canceledAt=null
    changing                                              | after invoice 1               | stays      | -invoice -firstDue -boundary +invoice +firstDue +boundary                            | invoicedIndex=1 ${unpaid(1)}
    changing invoiced                                     | after boundary                | stays      | -invoice -firstDue -boundary subscription.renewed +invoice +firstDue +boundary       | ${changedPrice} periodIndex=1 pendingChange=null
    changing paid                                         | after boundary                | stays      | -invoice -firstDue -boundary subscription.renewed +invoice +firstDue +boundary       | periodIndex=1
    changing, changing invoiced, changing paid            | cancel now                    | canceled   | -invoice -firstDue -boundary subscription.canceled                                   | canceledAt=+0m endedAt=+0m endReason=requested pendingChange=null
    changing                                              | change                        | stays      | -invoice -firstDue -boundary !joinPlan subscription.updated +invoice +firstDue +boundary       |
    changing paid                                         | change                        | stays      | -invoice -firstDue -boundary !joinPlan subscription.updated +invoice +firstDue +boundary       | 
    changing invoiced                                     | change                        | stays      | -invoice -firstDue -boundary !joinPlan subscription.updated +invoice +firstDue +boundary       | ${changed(2)}

    Until the grace ends, the invoice that is owed can be paid.
    past_due, past_due canceling, past_due pausing        | paid 1                        | active     | -grace subscription.renewed +invoice +firstDue +boundary                             | periodIndex=1 unpaid=[] owedIndex=null graceEndsAt=null
    past_due                                              | after grace                   | canceled   | -grace subscription.canceled                                                         | unpaid=[] owedIndex=null graceEndsAt=null canceledAt=+0m endedAt=+0m endReason=unpaid
    past_due                                              | void 1                        | active     | -grace subscription.renewed +invoice +firstDue +boundary                             | periodIndex=1 unpaid=[] owedIndex=null graceEndsAt=null
    past_due canceling                                    | void 1                        | canceled   | -grace subscription.canceled                                                         | unpaid=[] owedIndex=null graceEndsAt=null cancelAtPeriodEnd=false endedAt=+0m endReason=requested
    past_due pausing                                      | void 1                        | paused     | -grace subscription.paused +resume +invoice +boundary                                | invoicedIndex=0 unpaid=[] owedIndex=null graceEndsAt=null pauseAtPeriodEnd=false pausedAt=+0m
    past_due                                              | pause                         | paused     | -grace subscription.paused +resume +invoice +boundary                                | invoicedIndex=0 unpaid=[] owedIndex=null graceEndsAt=null pausedAt=+0m
    past_due                                              | pause until                   | stays      | -grace subscription.updated +grace                                                   | pauseAtPeriodEnd=true resumesAt=+142560m
    past_due                                              | cancel at end                 | canceled   | -grace subscription.canceled                                                         | unpaid=[] owedIndex=null graceEndsAt=null canceledAt=+0m endedAt=+0m endReason=requested
    past_due, past_due pausing                            | cancel at end without voiding | stays      | -grace subscription.updated +grace                                                   | cancelAtPeriodEnd=true canceledAt=+0m
    past_due                                              | cancel now                    | canceled   | -grace subscription.canceled                                                         | unpaid=[] owedIndex=null graceEndsAt=null canceledAt=+0m endedAt=+0m endReason=requested
    past_due, past_due canceling, past_due pausing        | update                        | stays      | -grace subscription.updated +grace                                                   | graceDays=4 metadata={"a":"b"} graceEndsAt=+50400m
    past_due, past_due canceling, past_due pausing        | extend grace                  | stays      | -grace subscription.updated +grace                                                   | graceEndsAt=+57600m
    past_due canceling                                    | after grace                   | canceled   | -grace subscription.canceled                                                         | unpaid=[] owedIndex=null graceEndsAt=null cancelAtPeriodEnd=false endedAt=+0m endReason=unpaid
    past_due canceling                                    | cancel at end                 | canceled   | -grace subscription.canceled                                                         | unpaid=[] owedIndex=null graceEndsAt=null cancelAtPeriodEnd=false endedAt=+0m endReason=requested
    past_due canceling                                    | cancel now                    | canceled   | -grace subscription.canceled                                                         | unpaid=[] owedIndex=null graceEndsAt=null cancelAtPeriodEnd=false endedAt=+0m endReason=requested
    past_due canceling                                    | uncancel                      | stays      | -grace subscription.updated +grace                                                   | cancelAtPeriodEnd=false canceledAt=null
    past_due pausing                                      | after grace                   | paused     | -grace subscription.paused +resume +invoice +boundary                                | invoicedIndex=0 unpaid=[] owedIndex=null graceEndsAt=null pauseAtPeriodEnd=false pausedAt=+0m
    past_due pausing                                      | cancel at end                 | canceled   | -grace subscription.canceled                                                         | unpaid=[] owedIndex=null graceEndsAt=null pauseAtPeriodEnd=false resumesAt=null canceledAt=+0m endedAt=+0m endReason=requested
    past_due pausing                                      | cancel now                    | canceled   | -grace subscription.canceled                                                         | unpaid=[] owedIndex=null graceEndsAt=null pauseAtPeriodEnd=false resumesAt=null canceledAt=+0m endedAt=+0m endReason=requested

    A paused subscription is resumed at the beginning of a period.
    paused                                                | after resume                  | stays      | -resume -invoice -boundary +resume +invoice +boundary                                | resumesAt=null resumeIndex=2
    paused                                                | resume                        | stays      | -resume -invoice -boundary +resume +invoice +boundary                                | resumesAt=null resumeIndex=2
    paused                                                | cancel now                    | canceled   | -resume -invoice -boundary subscription.canceled                                     | pausedAt=null resumesAt=null canceledAt=+0m endedAt=+0m endReason=requested
    paused, resuming, resuming invoiced, resuming paid    | update                        | stays      | -resume -invoice -boundary subscription.updated +resume +invoice +boundary           | graceDays=4 metadata={"a":"b"}
    resuming                                              | after invoice 2               | stays      | -resume -invoice -boundary +resume +invoice +boundary                                | invoicedIndex=2 ${latest(2)} ${unpaid(2)}
    resuming                                              | after invoice 2 paid          | stays      | -resume -invoice -boundary +resume +invoice +boundary                                | invoicedIndex=2 ${latest(2)}
    resuming, resuming paid                               | cancel now                    | canceled   | -resume -invoice -boundary subscription.canceled                                     | pausedAt=null resumeIndex=null canceledAt=+0m endedAt=+0m endReason=requested
    resuming invoiced                                     | cancel now                    | canceled   | -resume -invoice -boundary subscription.canceled                                     | unpaid=[] pausedAt=null resumeIndex=null canceledAt=+0m endedAt=+0m endReason=requested
    resuming invoiced                                     | paid 2                        | stays      |                                                                                      | unpaid=[]
    resuming invoiced                                     | void 2                        | stays      |                                                                                      | ${voided(2)}
    resuming invoiced                                     | after boundary                | past_due   | -resume -invoice -boundary subscription.resumed subscription.past_due +grace         | periodIndex=1 owedIndex=2 graceEndsAt=+48960m pausedAt=null resumeIndex=null
    resuming paid                                         | after boundary                | active     | -resume -invoice -boundary subscription.resumed +invoice +firstDue +boundary         | periodIndex=2 pausedAt=null resumeIndex=null

    A period that ends is followed by the next one if its invoice is paid.
    last                                                  | after boundary                | completed  | -invoice -firstDue -boundary subscription.completed                                  | endedAt=+0m endReason=completed
  `,
  minSteps: 60,
  walk: {
    minSteps: 500,
    events: ['trialing', 'active', 'paused'].flatMap(state => [
      ...[0, 1, 2].flatMap(index => [true, false].map(isPaid => timerOf('invoice', state, issued(index, isPaid)))),
      ...['boundary', 'firstDue'].map(timer => timerOf(timer, state, { dueAt: minutes(31 * DAY) })),
      ...[2, 3].map(resumeIndex => timerOf('resume', state, { resumeIndex })),
    ]),
    inputs: [{ ...subscriptionOpening, activation: 'immediate' }],
    // Two invoices are unpaid.
    paths: ['', 'begin, after firstDue', 'begin, after invoice 1, after firstDue'],
  },
  invalidRows: `
    active    | state = 'over'                                       | subscriptions_state
    active    | livemode = true, test_clock_id = gen_random_uuid()           | subscriptions_test_clock
    active    | source = 'shop'                                      | subscriptions_source
    active    | source = 'merchant'                                  | subscriptions_payer
    active    | currency = 'dollar'                                  | subscriptions_currency
    active    | tax_behavior = 'none'                                | subscriptions_tax_behavior
    active    | lines = '[]'                                         | subscriptions_lines
    active    | tax_minor = 1                                        | subscriptions_total
    active    | "interval" = 'hour'                                  | subscriptions_cadence
    active    | interval_count = 13                                  | subscriptions_cadence
    trialing  | trial_ends_at = anchor_at + interval '1 day'         | subscriptions_trial
    active    | lead_days = 28                                       | subscriptions_days
    active    | "interval" = 'week'                                  | subscriptions_days
    active    | grace_days = -1                                      | subscriptions_days
    active    | max_periods = 0                                      | subscriptions_max_periods
    active    | activation = 'later'                                 | subscriptions_activation
    active    | after_grace = 'wait'                                 | subscriptions_after_grace
    active    | reference = repeat('a', 201)                         | subscriptions_reference
    active    | period_index = null                                  | subscriptions_period
    trialing  | period_index = 0                                     | subscriptions_period
    active    | period_index = 3, invoiced_index = 3                 | subscriptions_period
    active    | invoiced_index = null                                | subscriptions_invoiced
    active    | latest_invoice_id = null                             | subscriptions_invoiced
    next paid | period_index = 2                                     | subscriptions_invoiced
    past_due  | owed_index = null, grace_ends_at = null              | subscriptions_past_due
    past_due  | grace_ends_at = null                                 | subscriptions_past_due
    active    | owed_index = 1, grace_ends_at = now()                | subscriptions_past_due
    paused    | paused_at = null                                     | subscriptions_paused
    active    | resume_index = 1                                     | subscriptions_paused
    paused    | pause_at_period_end = true                           | subscriptions_paused
    paused    | cancel_at_period_end = true                          | subscriptions_canceling
    canceled  | ended_at = null                                      | subscriptions_ended
    canceled  | canceled_at = null                                   | subscriptions_ended
    canceled  | end_reason = 'incomplete'                            | subscriptions_ended
    expired   | end_reason = 'completed'                             | subscriptions_ended
    active    | end_reason = 'requested'                             | subscriptions_ended
    active    | token_hash = 'b'                                     | subscriptions_token
  `,
  duplicates: `
    active | token_hash = repeat('d', 64) | token_hash = repeat('d', 64), trial_key = 'bob@example.com' | subscriptions_trial_once
    active | trial_key = null | token_hash = repeat('d', 64), trial_key = null | subscriptions_token_once
  `,
  largest: {
    ...{ metadata: largestMetadata, reference: largestText(200), totalMinor: MAX_AMOUNT, subtotalMinor: MAX_AMOUNT },
    pendingChange: { ...priceOf(MAX_AMOUNT), fromIndex: 10_000 },
  },
}
