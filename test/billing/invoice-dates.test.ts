import { expect, test } from 'bun:test'
import { seriesYear } from '../../src/billing/document-number.ts'
import { dateInvoice, type IssueTerms } from '../../src/billing/invoice-dates.ts'

const dated = (terms: Partial<IssueTerms> & { readonly at: string }) =>
  dateInvoice({
    issuedAt: new Date(terms.at),
    ...{ timeZone: 'Europe/Berlin', due: { daysUntilDue: 14 }, reminders: [-3, 0, 7, 14] },
    ...terms,
  })

const datesOf = (terms: Partial<IssueTerms> & { readonly at: string }) => {
  const invoice = dated(terms)
  if (!invoice.ok) throw new Error(invoice.refused)
  return invoice.dates
}

test('an invoice is due at the end of a day of the merchant, with reminders at 09:00 there', () => {
  // Two weeks with the end of daylight saving time in between.
  expect(datesOf({ at: '2026-10-19T12:00:00.000Z' })).toEqual({
    ...{ issueDate: '2026-10-19', dueDate: '2026-11-02', dueAt: new Date('2026-11-02T22:59:59.999Z') },
    reminders: [
      { offsetDays: -3, at: new Date('2026-10-30T08:00:00.000Z') },
      { offsetDays: 0, at: new Date('2026-11-02T08:00:00.000Z') },
      { offsetDays: 7, at: new Date('2026-11-09T08:00:00.000Z') },
      { offsetDays: 14, at: new Date('2026-11-16T08:00:00.000Z') },
    ],
  })
})

test('the year turns in the zone of the merchant', () => {
  const auckland = datesOf({ at: '2026-12-31T11:00:00.000Z', timeZone: 'Pacific/Auckland' })
  expect([auckland.issueDate, seriesYear('yearly', auckland.issueDate)]).toEqual(['2027-01-01', 2027])
  const honolulu = datesOf({ at: '2027-01-01T09:59:59.999Z', timeZone: 'Pacific/Honolulu', due: { daysUntilDue: 1 } })
  expect([honolulu.issueDate, honolulu.dueDate, honolulu.dueAt.toISOString()]).toEqual([
    ...['2026-12-31', '2027-01-01', '2027-01-02T09:59:59.999Z'],
  ])
})

test('reminders whose time has passed are dropped, and repeated ones sent once', () => {
  const offsets = (at: string, due: IssueTerms['due'] = { daysUntilDue: 3 }) =>
    datesOf({ at, due, reminders: [7, -3, 0, 7, -30] }).reminders.map(({ offsetDays }) => offsetDays)
  expect(offsets('2026-06-01T06:59:59.999Z')).toEqual([-3, 0, 7])
  // At 09:00 itself.
  expect(offsets('2026-06-01T07:00:00.000Z')).toEqual([0, 7])
  expect(offsets('2026-06-01T12:00:00.000Z', { dueDate: '2026-06-01' })).toEqual([7])
})

test('an invoice can be due on its issue date, and not before', () => {
  const at = '2026-06-01T22:30:00.000Z'
  expect(datesOf({ at, due: { daysUntilDue: 0 } })).toMatchObject({ issueDate: '2026-06-02', dueDate: '2026-06-02' })
  expect(datesOf({ at, due: { dueDate: '2026-06-02' } })).toMatchObject({ dueDate: '2026-06-02' })
  expect(dated({ at, due: { dueDate: '2026-06-01' } })).toEqual({
    ...{ ok: false, refused: 'parameter_invalid', param: 'dueDate' },
  })
})
