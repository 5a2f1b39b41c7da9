import type { Analytics, AnalyticsSummary, AnalyticsTotal, PaymentWithCrypto } from '../../../src/web/api/calls.ts'
import { links, payments } from './samples.ts'

/** Figures as the API answers them, of which only the sum matters. */
export const figuresRow = (currency: string, volumeMinor: number): AnalyticsTotal => ({
  ...{ currency, volumeMinor, refundedMinor: 0, netMinor: volumeMinor, refundsCount: 0 },
  ...{ opened: 2, picked: 2, seen: 1, succeeded: 1, failed: 0, expired: 1, canceled: 0, late: 0 },
  ...{ conversionBps: 5_000, successRateBps: 5_000, payMs: null, finalMs: null },
})

const DAY_MS = 86_400_000
const asOf = '2026-11-25T13:32:05.000Z'
const timeZone = 'Europe/Berlin'

/** A busy shop: weekends are quiet, and it grows. */
const dayOf = (at: number, currency: string): AnalyticsTotal => {
  const day = Math.floor(at / DAY_MS)
  const wave = 1 + 0.5 * Math.sin(day * 1.7) + 0.4 * Math.sin(day * 0.9)
  const opened = Math.max(1, Math.round((14 + (day - 20_700) / 12) * wave * (currency === 'EUR' ? 1 : 0.3)))
  const succeeded = Math.round(opened * (0.62 + 0.08 * Math.sin(day / 3)))
  const refundedMinor = day % 6 === 0 ? 4_900 : 0
  const volumeMinor = succeeded * 4_900 + (day % 5) * 1_250
  return {
    ...{ currency, opened, picked: Math.round(opened * 0.93), seen: succeeded + 1, succeeded, failed: 0 },
    ...{ expired: opened - succeeded, canceled: 0, late: 0, volumeMinor, refundsCount: refundedMinor ? 1 : 0 },
    ...{ refundedMinor, netMinor: volumeMinor - refundedMinor },
    ...{ conversionBps: Math.round((succeeded * 10_000) / opened), successRateBps: 9_410 },
    payMs: { p50: 95_000 + (day % 7) * 4_000, p95: 610_000 + (day % 4) * 90_000 },
    finalMs: { p50: 41_000 + (day % 5) * 1_500, p95: 205_000 + (day % 9 === 0 ? 260_000 : 0) },
  }
}

const added = (rows: readonly AnalyticsTotal[]): AnalyticsTotal[] => {
  const [first] = rows
  if (!first) return []
  const sum = (key: 'opened' | 'picked' | 'seen' | 'succeeded' | 'expired' | 'volumeMinor' | 'refundedMinor') =>
    rows.reduce((total, row) => total + row[key], 0)
  const [volumeMinor, refundedMinor] = [sum('volumeMinor'), sum('refundedMinor')]
  const [opened, succeeded] = [sum('opened'), sum('succeeded')]
  return [
    {
      ...{ ...first, volumeMinor, refundedMinor, opened, succeeded, picked: sum('picked'), seen: sum('seen') },
      ...{ expired: sum('expired'), netMinor: volumeMinor - refundedMinor },
      conversionBps: Math.round((succeeded * 10_000) / opened),
    },
  ]
}

const shares: Readonly<Record<string, readonly (readonly [key: string | null, part: number])[]>> = {
  asset: [
    ['USDC', 0.61],
    ['EURC', 0.27],
    ['ETH', 0.12],
    [null, 0],
  ],
  chain: [
    ['8453', 0.66],
    ['1', 0.22],
    ['137', 0.12],
    [null, 0],
  ],
  link: [
    [String(links[0]?.id), 0.52],
    ['single_use', 0.4],
    ['other', 0.08],
  ],
}

/** A series of daily or monthly buckets, or of one, for the days that are asked for. */
export const sampleSeries = (query: URLSearchParams, isEmpty: boolean): Analytics => {
  const [from, to] = [
    Date.parse(query.get('from') ?? ''),
    Date.parse(query.get('to') ?? asOf.slice(0, 10)) + (query.has('to') ? 0 : DAY_MS),
  ]
  const nameLength = { total: 0, month: 7 }[query.get('bucket') ?? ''] ?? 10
  const days = Array.from({ length: Math.round((to - from) / DAY_MS) }, (_, n) => from + n * DAY_MS)
  const groups = [...Map.groupBy(days, at => new Date(at).toISOString().slice(0, nameLength)).values()]
  const keys = shares[query.get('breakdown') ?? ''] ?? [[null, 1] as const]
  const currencies = ['EUR', 'USD'].filter(each => !isEmpty && each === (query.get('currency') ?? each))
  const totalsOf = (at: readonly number[]) => currencies.flatMap(each => added(at.map(day => dayOf(day, each))))
  return {
    ...{ object: 'analytics', asOf, timeZone },
    buckets: groups.map(group => ({
      start: new Date((group[0] ?? 0) - 3_600_000).toISOString(),
      end: new Date((group.at(-1) ?? 0) + DAY_MS - 3_600_000).toISOString(),
      rows: totalsOf(group).flatMap(total =>
        keys.map(([key, part]) => ({
          ...{ ...total, key, volumeMinor: Math.round(total.volumeMinor * part) },
          opened: Math.round(total.opened * (part || 0.05)),
          succeeded: Math.round(total.succeeded * part),
        })),
      ),
    })),
    totals: totalsOf(days),
  }
}

/** The successful payments of a customer since a day: none to three a month, newest first. */
export const samplePayments = (since: string): readonly PaymentWithCrypto[] => {
  const { paid } = payments
  if (!paid) throw new Error('There is no sample of a paid payment')
  return Array.from({ length: 12 }, (_, month) =>
    Array.from({ length: (month * 7 + 2) % 4 }, (_, n) => ({
      ...{ ...paid, currency: 'EUR', amountMinor: 4_900 + ((month * 3 + n) % 5) * 6_250 },
      createdAt: new Date(Date.parse(since) + (month * 30.4 + n * 8 + 2) * DAY_MS).toISOString(),
    })),
  )
    .flat()
    .toReversed()
}

export const sampleSummary = (isEmpty: boolean): AnalyticsSummary => ({
  ...{ object: 'analytics', asOf, timeZone, totals: [] },
  billing: isEmpty
    ? []
    : [
        {
          ...{ currency: 'EUR', invoicedMinor: 512_000, invoicePaidMinor: 431_000, mrrMinor: 186_400 },
          ...{ overdueMinor: 24_900, overdueCount: 2, creditMinor: 5_000 },
          subscriptions: { trialing: 3, active: 38, past_due: 1, paused: 2 },
        },
      ],
  attention: isEmpty ? [] : [{ kind: 'overdue_invoices', count: 2 }],
})
