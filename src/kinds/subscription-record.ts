import { type Type, type } from 'arktype'
import { subscriptionMachine } from '../../machines/subscription.ts'
import type { EndReason, Subscription } from '../../machines/subscription-events.ts'
import type { Actor } from '../actors/kind.ts'
import { type Interval, periodOf } from '../billing/periods.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { exampleId } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { count, currency, flag, idOf, minor, textOrNull, texts, time, timeOrNull } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import { lazy } from '../lazy.ts'
import { nextInvoiceAt } from './subscription-times.ts'

/** `new` is left in the commit that creates the subscription. */
export const subscriptionStatus = lazy(() =>
  type.enumerated(...Object.keys(subscriptionMachine.states).filter(state => state !== 'new')),
)

type Access = { readonly granted: boolean; readonly until: Date | null }

/** Who has paid, tries it out, or is allowed to pay late has access. */
export const accessTo = ({ state, context }: Actor<Subscription>): Access => {
  if (state === 'trialing') return { granted: true, until: context.trialEndsAt }
  if (state === 'active') return { granted: true, until: currentPeriod(context)?.end ?? null }
  if (state === 'past_due') return { granted: true, until: context.graceEndsAt }
  return { granted: false, until: null }
}

export const currentPeriod = (subscription: Subscription) =>
  subscription.periodIndex === null
    ? undefined
    : periodOf(subscription.anchorAt, subscription, subscription.periodIndex)

const access = groupOf<Access>()({
  granted: {
    type: flag,
    about: 'Whether the customer has access: in `trialing` and `active`, and in `past_due` until `graceEndsAt`.',
    example: true,
    of: ({ granted }) => granted,
  },
  until: {
    type: timeOrNull,
    about: 'When that ends unless the next period is paid. Null without access.',
    example: '2027-01-20T12:00:00.000Z',
    of: ({ until }) => until?.toISOString() ?? null,
  },
})

const planIdOrNull = () => idOf('plan').or('null')
const planIdOf = (id: string | null): string | null => id && encodeId('plan', id)

const pendingChange = groupOf<NonNullable<Subscription['pendingChange']>>()({
  planId: {
    type: planIdOrNull,
    about: 'Plan of the subscription then. Null if none.',
    example: exampleId('plan'),
    of: ({ planId }) => planIdOf(planId),
  },
  amountMinor: {
    type: minor,
    about: 'What a period costs then, with tax.',
    example: 5831,
    of: ({ totalMinor }) => totalMinor,
  },
  periodIndex: {
    type: count,
    about: 'First period that costs this: the first one that is not invoiced yet.',
    example: 2,
    of: ({ fromIndex }) => fromIndex,
  },
})

const invoiceId = () => idOf('inv').or('null')
const invoiceIdOf = (id: string | null | undefined): string | null => (id ? encodeId('inv', id) : null)

/** A subscription without what could make an event too large. Responses add the rest. */
export const subscriptionRecord = recordOf<Actor<Subscription>>()('Subscription', {
  object: constantField('subscription'),
  id: idField('subscription', subscription => subscription.id),
  merchantId: actorFields.merchantId,
  customerId: {
    ...idField('customer', ({ context }: Actor<Subscription>) => context.customerId),
    about:
      'Customer that the subscription is for. If that customer was merged, responses name the one that has taken its place; events do not change.',
  },
  planId: {
    type: planIdOrNull,
    about: 'Plan of the subscription. Null if it has none.',
    example: exampleId('plan'),
    of: ({ context }) => planIdOf(context.planId),
  },
  source: {
    type: (): Type<'merchant' | 'checkout'> => type("'merchant' | 'checkout'"),
    about: '`merchant`: you created it. `checkout`: the customer subscribed on the page of a plan.',
    example: 'merchant',
    of: ({ context }) => context.source,
  },
  verified: {
    type: flag,
    about: 'Whether you have confirmed who the customer is. True if you created the subscription.',
    example: true,
    of: ({ context }) => context.verified,
  },
  status: {
    type: subscriptionStatus,
    about:
      '`incomplete`: the first invoice is not paid. `trialing`, `active`. `past_due`: the invoice of a period that has begun is not paid. `paused`. Final: `canceled`, `expired` (the first invoice was not paid in seven days), `completed` (all of `maxPeriods` are over).',
    example: 'active',
    of: ({ state }) => state,
  },
  access: {
    inside: access.inside,
    type: () => access.type(),
    about: 'Whether to serve the customer. Decide by this alone.',
    example: access.example,
    of: subscription => access.render(accessTo(subscription)),
  },
  currency: { type: currency, example: 'EUR', of: ({ context }) => context.currency },
  taxBehavior: {
    type: (): Type<'exclusive' | 'inclusive'> => type("'exclusive' | 'inclusive'"),
    about: 'Whether the unit amounts of the lines contain the tax (`inclusive`) or not (`exclusive`).',
    example: 'exclusive',
    of: ({ context }) => context.taxBehavior,
  },
  amountMinor: {
    type: minor,
    about: 'What a period costs, with tax, in the minor unit of the currency.',
    example: 5831,
    of: ({ context }) => context.totalMinor,
  },
  interval: {
    type: (): Type<Interval> => type("'day' | 'week' | 'month' | 'year'"),
    about: 'Unit of the length of a period.',
    example: 'month',
    of: ({ context }) => context.interval,
  },
  intervalCount: {
    type: count,
    about: 'How many of these units a period has.',
    example: 1,
    of: ({ context }) => context.intervalCount,
  },
  anchorAt: {
    type: time,
    about:
      'Time from which periods are counted, by the calendar of UTC: from 31 January by months to 28 February and 31 March. While the status is `incomplete`, and no anchor was sent, the time of creation; then the time at which the first invoice was paid.',
    example: '2026-11-20T12:00:00.000Z',
    of: ({ context }) => context.anchorAt.toISOString(),
  },
  periodIndex: {
    type: count,
    about: 'Current period. The first one is 0.',
    example: 1,
    of: ({ context }) => context.periodIndex ?? 0,
  },
  periodStart: {
    type: timeOrNull,
    about: 'Beginning of the current period. Null before the first one.',
    example: '2026-12-20T12:00:00.000Z',
    of: ({ context }) => currentPeriod(context)?.start.toISOString() ?? null,
  },
  periodEnd: {
    type: timeOrNull,
    about: 'End of the current period, at which the next one begins. Null before the first one.',
    example: '2027-01-20T12:00:00.000Z',
    of: ({ context }) => currentPeriod(context)?.end.toISOString() ?? null,
  },
  nextInvoiceAt: {
    type: timeOrNull,
    about: 'Time at which the invoice of the next period is finalized. Null if it was, and if there will be none.',
    example: '2027-01-13T12:00:00.000Z',
    of: ({ state, context }) =>
      state === 'trialing' || state === 'active' || state === 'paused'
        ? (nextInvoiceAt(context)?.toISOString() ?? null)
        : null,
  },
  trialEndsAt: {
    type: timeOrNull,
    about: 'End of the trial, at which the first period begins. Null without a trial.',
    example: null,
    of: ({ context }) => context.trialEndsAt?.toISOString() ?? null,
  },
  leadDays: {
    type: count,
    about: 'How many days before a period its invoice is finalized.',
    example: 7,
    of: ({ context }) => context.leadDays,
  },
  graceDays: {
    type: count,
    about: 'How many days the status is `past_due` before `afterGrace` applies.',
    example: 7,
    of: ({ context }) => context.graceDays,
  },
  graceEndsAt: {
    type: timeOrNull,
    about: 'When `afterGrace` applies unless the invoice is paid. Null unless the status is `past_due`.',
    example: null,
    of: ({ context }) => context.graceEndsAt?.toISOString() ?? null,
  },
  maxPeriods: {
    type: () => type('number.integer >= 1').or('null'),
    about: 'Number of periods after which the subscription is `completed`. Null for no end.',
    example: null,
    of: ({ context }) => context.maxPeriods,
  },
  activation: {
    type: (): Type<'on_payment' | 'immediate'> => type("'on_payment' | 'immediate'"),
    about: 'Whether it begins when the first invoice is paid (`on_payment`) or when it is created (`immediate`).',
    example: 'on_payment',
    of: ({ context }) => context.activation,
  },
  afterGrace: {
    type: (): Type<'cancel' | 'pause'> => type("'cancel' | 'pause'"),
    about: 'What happens when the grace is over: it is `canceled` or `paused`.',
    example: 'cancel',
    of: ({ context }) => context.afterGrace,
  },
  cancelAtPeriodEnd: {
    type: flag,
    about: 'Whether it is canceled when the period that was paid last is over.',
    example: false,
    of: ({ context }) => context.cancelAtPeriodEnd,
  },
  pauseAtPeriodEnd: {
    type: flag,
    about: 'Whether it is paused when the period that was paid last is over.',
    example: false,
    of: ({ context }) => context.pauseAtPeriodEnd,
  },
  canceledAt: {
    type: timeOrNull,
    about: 'Time at which it was canceled, or at which that was requested. Null if neither.',
    example: null,
    of: ({ context }) => context.canceledAt?.toISOString() ?? null,
  },
  endedAt: {
    type: timeOrNull,
    about: 'Time at which it became `canceled`, `expired` or `completed`. Null before.',
    example: null,
    of: ({ context }) => context.endedAt?.toISOString() ?? null,
  },
  endReason: {
    type: (): Type<EndReason | null> => type("'requested' | 'unpaid' | 'incomplete' | 'completed' | 'customer' | null"),
    about:
      'Why it has ended: canceled by you (`requested`) or by the customer (`customer`), an invoice was not paid (`unpaid`, or `incomplete` for the first one), or all periods are over (`completed`). Null before.',
    example: null,
    of: ({ context }) => context.endReason,
  },
  resumesAt: {
    type: timeOrNull,
    about: 'Time from which a paused subscription is resumed by itself. Null if it is not.',
    example: null,
    of: ({ context }) => context.resumesAt?.toISOString() ?? null,
  },
  pendingChange: {
    inside: pendingChange.inside,
    type: () => pendingChange.type().or('null'),
    about: 'What changes with a later period. Null if nothing does.',
    example: null,
    of: ({ context }) => context.pendingChange && pendingChange.render(context.pendingChange),
  },
  openInvoiceId: {
    type: invoiceId,
    about: 'Oldest invoice of the subscription that is to be paid. Null if none is, and after it has ended.',
    example: null,
    of: ({ context }) => invoiceIdOf(context.unpaid.find(({ isVoid }) => !isVoid)?.invoiceId),
  },
  latestInvoiceId: {
    type: invoiceId,
    about: 'Invoice that was finalized last. Null if there is none.',
    example: exampleId('invoice'),
    of: ({ context }) => invoiceIdOf(context.latestInvoiceId),
  },
  url: {
    type: textOrNull,
    about:
      'Page of the subscription for your customer. Null for members with the role viewer and keys without `billing:write`, and always in events.',
    example: null,
    of: (): string | null => null,
  },
  reference: {
    type: textOrNull,
    about: 'Your own identifier of the subscription. Null if not set.',
    example: 'contract 7',
    of: ({ context }) => context.reference,
  },
  testClockId: {
    type: () => idOf('clk').or('null'),
    about: 'Test clock of the customer, in test mode: all times are those of the clock. Null if none.',
    example: null,
    of: ({ context: { testClockId } }) => testClockId && encodeId('clk', testClockId),
  },
  metadata: { type: texts, example: {}, of: ({ context }) => context.metadata },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: actorFields.updatedAt,
})
