import { type } from 'arktype'
import { example } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { count, currency, minor, signedMinor, textOrNull, time } from '../../fields/wire.ts'

const percentiles = () => type({ p50: count(), p95: count() }).or('null')
const basisPoints = () => type('number.integer >= 0 | null')

const figures = () => ({
  currency: currency(),
  opened: count(),
  picked: count(),
  seen: count(),
  succeeded: count(),
  failed: count(),
  expired: count(),
  canceled: count(),
  late: count(),
  volumeMinor: minor(),
  refundsCount: count(),
  refundedMinor: minor(),
  netMinor: signedMinor(),
  conversionBps: basisPoints(),
  successRateBps: basisPoints(),
  payMs: percentiles(),
  finalMs: percentiles(),
})

const inside = {
  currency: 'Currency of the amounts. Currencies are never converted or added.',
  opened: 'Payments that were opened.',
  picked: 'Payments for which the customer chose an asset for the first time.',
  seen: 'Payments that became `processing` for the first time.',
  succeeded: 'Payments that became `success`.',
  failed: 'Payments that became `failed`.',
  expired: 'Payments that became `expired`.',
  canceled: 'Payments that became `canceled`.',
  late: 'Payments whose money arrived after their end.',
  volumeMinor: 'Sum of the amounts of the payments that became `success`.',
  refundsCount: 'Refunds that became `processed`.',
  refundedMinor: 'Sum of the amounts of these refunds.',
  netMinor: '`volumeMinor` less `refundedMinor`.',
  conversionBps:
    'Share of the payments opened in this time that are `success` now, in basis points. Null if none was opened.',
  successRateBps: '`succeeded` ÷ (`succeeded` + `failed` + `expired`), in basis points. Null if none ended.',
  payMs:
    'Milliseconds from the opening of a payment until its money was seen, within 10 %. Null without such a payment, for payment links, and for more than 35 days in another time zone than that of the merchant.',
  'payMs.p50': 'Half of the payments took at most so long.',
  'payMs.p95': '95 % of the payments took at most so long.',
  finalMs: 'Milliseconds from then until `success`, within 10 %. Null as `payMs` is.',
  'finalMs.p50': 'Half of the payments took at most so long.',
  'finalMs.p95': '95 % of the payments took at most so long.',
}

const exampleFigures = {
  ...{ currency: 'EUR', opened: 40, picked: 36, seen: 31, succeeded: 30, failed: 1, expired: 8, canceled: 1, late: 0 },
  ...{ volumeMinor: 148_700, refundsCount: 1, refundedMinor: 4_900, netMinor: 143_800, conversionBps: 7_500 },
  ...{ successRateBps: 7_692, payMs: { p50: 61_000, p95: 304_000 }, finalMs: { p50: 32_000, p95: 74_000 } },
}

const rowShape = shape({
  name: 'AnalyticsRow',
  type: () => type({ ...figures(), key: textOrNull() }),
  example: { ...exampleFigures, key: null },
  inside: {
    ...inside,
    key: 'Asset, chain ID or ID of the payment link by `breakdown`. `single_use`: links with `maxPayments` 1 and those of invoices. `other`: all that are not among the 50 largest. Null without a breakdown, and for payments without an asset.',
  },
})

const totalShape = shape({
  name: 'AnalyticsTotal',
  type: () => type(figures()),
  example: exampleFigures,
  inside,
})

const summaryAbout = {
  asOf: 'Everything that was committed before this time is in the figures of payments.',
  timeZone: 'Time zone of dates in the request.',
  totals: 'Figures of payments in the whole time, by currency.',
  billing: 'Figures of invoices and subscriptions, by currency.',
  'billing.currency': 'Currency of the amounts.',
  'billing.invoicedMinor': 'Sum of the invoices that were issued in this time and are not void.',
  'billing.invoicePaidMinor': 'Sum of the invoices that became `paid` in this time, less their credit notes.',
  'billing.overdueMinor': 'What is due now of overdue invoices.',
  'billing.overdueCount': 'Number of overdue invoices.',
  'billing.creditMinor': 'Credit of all customers now.',
  'billing.mrrMinor':
    'What `active` and `past_due` subscriptions bring in by month, without tax: a year counts as 12 months, a week as 12 / 52 of a month and a day as 12 / 365.',
  'billing.subscriptions': 'Number of subscriptions now, by status.',
  'billing.subscriptions.trialing': 'In their trial.',
  'billing.subscriptions.active': 'Paid.',
  'billing.subscriptions.past_due': 'Not paid in time.',
  'billing.subscriptions.paused': 'Paused.',
  attention: 'Records that do not go on without a person, by kind. Kinds without one are left out.',
  'attention.kind': 'Kind of the records.',
  'attention.count': 'How many there are; 1000 stands for 1000 or more.',
}

const about = {
  asOf: 'Everything that was committed before this time is in the figures.',
  timeZone: 'Time zone of the buckets and of dates in the request.',
  buckets: 'The time from `from` to `to` in parts, in order and without a gap.',
  'buckets.start': 'Beginning of the bucket.',
  'buckets.end': 'End of the bucket. It belongs to the next one.',
  'buckets.rows': 'Figures by currency and key. Without a payment in this time there is none.',
  totals: 'Figures of the whole time, by currency.',
}

export const analyticsShape = shape({
  name: 'Analytics',
  type: () =>
    type({
      object: "'analytics'",
      asOf: time(),
      timeZone: 'string',
      buckets: type({ start: time(), end: time(), rows: rowShape.type().array() }).array(),
      totals: totalShape.type().array(),
    }),
  example: {
    object: 'analytics',
    asOf: example.later,
    timeZone: 'Europe/Berlin',
    buckets: [{ start: '2026-11-19T23:00:00.000Z', end: '2026-11-20T23:00:00.000Z', rows: [rowShape.example] }],
    totals: [totalShape.example],
  },
  parts: [rowShape, totalShape],
  inside: about,
})

export const analyticsSummaryShape = shape({
  name: 'AnalyticsSummary',
  type: () =>
    type({
      object: "'analytics'",
      asOf: time(),
      timeZone: 'string',
      totals: totalShape.type().array(),
      billing: type({
        currency: currency(),
        invoicedMinor: minor(),
        invoicePaidMinor: minor(),
        overdueMinor: minor(),
        overdueCount: count(),
        creditMinor: minor(),
        mrrMinor: minor(),
        subscriptions: type({ trialing: count(), active: count(), past_due: count(), paused: count() }),
      }).array(),
      attention: type({
        kind: "'payments' | 'refunds' | 'webhook_endpoints' | 'webhook_deliveries' | 'overdue_invoices'",
        count: count(),
      }).array(),
    }),
  example: {
    object: 'analytics',
    asOf: example.later,
    timeZone: 'Europe/Berlin',
    totals: [totalShape.example],
    billing: [
      {
        ...{ currency: 'EUR', invoicedMinor: 92_000, invoicePaidMinor: 71_000, overdueMinor: 9_900, overdueCount: 1 },
        ...{ creditMinor: 450, mrrMinor: 31_900, subscriptions: { trialing: 2, active: 11, past_due: 1, paused: 0 } },
      },
    ],
    attention: [{ kind: 'payments', count: 2 }],
  },
  parts: [totalShape],
  inside: summaryAbout,
})
