import { describe, expect, test } from 'bun:test'
import {
  billingChangesIn,
  billingFaultsIn,
  nextCreditNoteNumberIn,
  nextNumberIn,
} from '../../../src/web/dashboard/settings/billing-draft.ts'
import { billingSettings } from './samples.ts'

describe('edited billing settings', () => {
  test('only what differs is sent, in the units of the API', () => {
    const edits = { legalName: ` ${billingSettings.legalName} `, taxRateBps: '7,5', daysUntilDue: '30', notes: ' ' }
    expect(billingChangesIn(edits, { ...billingSettings, notes: 'Pay soon' })).toEqual({
      ...{ taxRateBps: 750, daysUntilDue: 30, notes: null },
    })
    expect(billingChangesIn({}, billingSettings)).toEqual({})
  })

  test('every bound has its fault', () => {
    const faultsOf = (edits: Parameters<typeof billingFaultsIn>[0]) =>
      Object.entries(billingFaultsIn(edits, billingSettings)).flatMap(([field, fault]) => (fault ? [field] : []))
    expect(faultsOf({})).toEqual([])
    expect(faultsOf({ daysUntilDue: '365', taxRateBps: '100', retentionYears: '50', timeZone: 'UTC' })).toEqual([])
    for (const [field, values] of Object.entries({
      daysUntilDue: ['366', '-1', '', '1.5'],
      taxRateBps: ['100.01', 'x', '', '1.234'],
      retentionYears: ['0', '51', ''],
      nextNumber: ['6', '0', '', '1000000000'],
      timeZone: ['Europe/Nowhere', ''],
      invoicePrefix: ['', 'a b', 'x'.repeat(21)],
      creditNotePrefix: ['ü'],
      numberPattern: ['{number}'],
    }))
      for (const value of values) expect([field, value, faultsOf({ [field]: value })]).toEqual([field, value, [field]])
    expect(billingFaultsIn({ numberPattern: '{year}' }, billingSettings).numberPattern).toBe('number')
    expect(billingFaultsIn({ numberPattern: '{number}', restart: 'never' }, billingSettings).numberPattern).toBe(
      undefined,
    )
    const address = { line1: 'a', line2: '', postalCode: '', city: 'b', state: '', country: 'DE' }
    expect(faultsOf({ address })).toEqual(['address'])
  })

  test('a series with another restart begins with 1', () => {
    expect(nextNumberIn({}, billingSettings)).toBe(7)
    expect(nextNumberIn({ restart: 'never' }, billingSettings)).toBe(1)
    expect(nextNumberIn({ restart: 'never', nextNumber: '3' }, billingSettings)).toBe(3)
    expect([{}, { restart: 'never' as const }].map(edits => nextCreditNoteNumberIn(edits, billingSettings))).toEqual([
      3, 1,
    ])
  })
})
