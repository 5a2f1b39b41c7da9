import { describe, expect, test } from 'bun:test'
import type { BillingSettings } from '../../../src/web/api/calls.ts'
import {
  hasTermsFaults,
  newTermsDraft,
  type TermsDraft,
  termsBodyOf,
  termsFaultsIn,
  typedDaysOf,
} from '../../../src/web/dashboard/plans/terms-draft.ts'

const settings = { taxBehavior: 'inclusive', taxRateBps: 1_900 } as BillingSettings

const draft = (more: Partial<TermsDraft> = {}): TermsDraft => {
  const fresh = newTermsDraft(settings)
  const lines = fresh.lines.map(line => ({ ...line, description: 'Lamp', unitAmount: '49,00' }))
  return { ...fresh, lines, ...more }
}

const faultsOf = (more: Partial<TermsDraft>) =>
  Object.entries(termsFaultsIn(draft(more)))
    .filter(([, fault]) => fault === true)
    .map(([field]) => field)

describe('the terms of a plan as they are typed', () => {
  test('become the terms of the API', () => {
    const typed = draft({ trialDays: '14', maxPeriods: '12', afterGrace: 'pause' })
    expect(hasTermsFaults(termsFaultsIn(typed))).toBe(false)
    expect(termsBodyOf(typed)).toEqual({
      ...{ currency: 'EUR', taxBehavior: 'inclusive', interval: 'month', intervalCount: 1, trialDays: 14 },
      ...{ leadDays: 7, graceDays: 7, maxPeriods: 12, activation: 'on_payment', afterGrace: 'pause', assets: null },
      lines: [
        {
          ...{ description: 'Lamp', quantity: '1', unitAmountMinor: 4_900 },
          ...{ taxRateBps: 1_900, taxCategory: 'standard', taxNote: null },
        },
      ],
    })
  })

  test('have the days of the interval, unless others are typed', () => {
    expect(typedDaysOf(draft())).toEqual({ leadDays: 7, graceDays: 7 })
    expect(typedDaysOf(draft({ interval: 'week' }))).toEqual({ leadDays: 2, graceDays: 3 })
    expect(typedDaysOf(draft({ interval: 'day' }))).toEqual({ leadDays: 0, graceDays: 0 })
    expect(typedDaysOf(draft({ leadDays: '0', graceDays: '27' }))).toEqual({ leadDays: 0, graceDays: 27 })
  })

  test('are wrong beyond the bounds of the API, and within them they are not', () => {
    const bounds: readonly (readonly [
      field: keyof TermsDraft,
      least: number,
      most: number,
      more?: Partial<TermsDraft>,
    ])[] = [
      ['intervalCount', 1, 12],
      ['trialDays', 0, 730],
      ['maxPeriods', 1, 10_000],
      ['leadDays', 0, 27],
      ['graceDays', 0, 27],
      ['graceDays', 0, 6, { interval: 'week' }],
      ['leadDays', 0, 0, { interval: 'day' }],
      ['leadDays', 0, 83, { intervalCount: '3' }],
      ['graceDays', 0, 4_379, { interval: 'year', intervalCount: '12' }],
    ]
    for (const [field, least, most, more] of bounds) {
      for (const value of [least, most]) expect(faultsOf({ ...more, [field]: String(value) })).toEqual([])
      for (const value of [String(most + 1), String(least - 1), '1.5', 'x'])
        expect(faultsOf({ ...more, [field]: value })).toEqual([field])
    }
    expect(faultsOf({ intervalCount: '' })).toEqual(['intervalCount'])
    expect(faultsOf({ assets: [] })).toEqual(['assets'])
  })
})
