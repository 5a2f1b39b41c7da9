import type { Plan } from '../../../src/web/api/calls.ts'
import { merchantId } from './samples.ts'

type Line = Plan['lines'][number]

const line = (description: string, unitAmountMinor: number, more: Partial<Line> = {}): Line => ({
  ...{ id: '1', description, quantity: '1', unitAmountMinor, amountMinor: unitAmountMinor },
  ...{ taxRateBps: 1_900, taxCategory: 'standard', taxNote: null },
  ...more,
})

const plan = (n: number, name: string, more: Partial<Plan> = {}): Plan => ({
  ...{ object: 'plan', id: `plan_06bt${String(n).padStart(22, 'q')}`, merchantId, name, description: null },
  ...{ status: 'active', currency: 'EUR', lines: [line('Lamp of the month', 4_900)], taxBehavior: 'exclusive' },
  ...{ amountMinor: 5_831, interval: 'month', intervalCount: 1, trialDays: 0, leadDays: 7, graceDays: 7 },
  ...{ maxPeriods: null, activation: 'on_payment', afterGrace: 'cancel', assets: null, reference: null },
  ...{ subscriptionsCount: 0, metadata: {}, livemode: true, createdAt: '2026-11-02T09:12:44.000Z' },
  ...{ updatedAt: '2026-11-02T09:12:44.000Z', url: `https://pay.lampsandlight.com/plans/plan_06bt${n}9x3kq7v5n2c8hd1` },
  ...more,
})

export const plans = {
  month: plan(1, 'Lamp of the month', {
    ...{ description: 'A lamp by another workshop each month, with bulbs and a postcard.', reference: 'lotm' },
    ...{ subscriptionsCount: 214, trialDays: 14, metadata: { shelf: 'A7' } },
    lines: [
      line('Lamp of the month', 4_900),
      line('Shipping', 480, { id: '2', taxRateBps: 0, taxCategory: 'zero', taxNote: null }),
    ],
    amountMinor: 6_311,
  }),
  service: plan(2, 'Maintenance of street lamps', {
    ...{ interval: 'year', currency: 'USD', amountMinor: 2_499_000, activation: 'immediate', afterGrace: 'pause' },
    ...{ maxPeriods: 5, subscriptionsCount: 3, graceDays: 30, assets: [{ chainId: 8453, asset: 'USDC' }] },
    lines: [line('Maintenance of 240 street lamps', 2_100_000, { quantity: '1' })],
  }),
  week: plan(3, 'Candles', {
    ...{ interval: 'week', intervalCount: 2, leadDays: 2, graceDays: 3, amountMinor: 990, taxBehavior: 'inclusive' },
    lines: [line('Two dozen candles', 990)],
  }),
  long: plan(4, `Lampen‑Abonnement für Großkunden ${'mit sehr langem Namen '.repeat(6)}`.trim(), {
    ...{ status: 'archived', amountMinor: 9_007_199_254_740_991, subscriptionsCount: 12_408 },
    ...{ interval: 'month', intervalCount: 12, reference: 'R'.repeat(120) },
  }),
} as const
