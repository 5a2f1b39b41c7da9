import { expect, test } from 'bun:test'
import { invoiceIdOf, issued, subscriptionOpening, subscriptions } from './subscription-cases.ts'
import { arrive, differences, minutes } from './table.ts'

const DAY = 1_440

const immediate = {
  ...subscriptions,
  input: { ...subscriptionOpening, activation: 'immediate' },
  situations: {
    begun: 'begin',
    'first overdue': 'begin, after firstDue',
    'second period': 'begin, after invoice 1 paid, after boundary',
    'overdue in the second period': 'begin, after invoice 1 paid, after boundary, after firstDue',
  },
  events: {
    ...subscriptions.events,
    'after invoice 1 paid': { type: 'xstate.after', ...issued(1, true) },
  },
}

const isAboutFirst = (situation: string, event: string) =>
  ['after firstDue', 'paid 0', 'after grace'].includes(event) && situation in immediate.situations

test('a subscription that began before it was paid is past_due when its first invoice is due', () => {
  const table = `
    begun, second period         | after firstDue | past_due | -invoice -firstDue -boundary subscription.past_due +grace | firstDueAt=null owedIndex=0 graceEndsAt=+${17 * DAY}m
    begun, second period         | paid 0         | stays    |                                                           | unpaid=[]
    The period that has begun meanwhile remains.
    first overdue                | paid 0         | active   | -grace subscription.renewed +invoice +firstDue +boundary  | unpaid=[] owedIndex=null graceEndsAt=null
    overdue in the second period | paid 0         | active   | -grace subscription.renewed +invoice +firstDue +boundary  | unpaid=[] owedIndex=null graceEndsAt=null
  `
  expect(
    differences(immediate, table, (situation, event) => isAboutFirst(situation, event) && event !== 'after grace'),
  ).toEqual([])
})

test('when its grace is over, a subscription is paused if it is to be', () => {
  const pausing = {
    ...subscriptions,
    input: { ...subscriptionOpening, afterGrace: 'pause' },
    situations: {
      owing: 'begin, paid 0, after invoice 1, after boundary',
      canceling: 'begin, paid 0, after invoice 1, after boundary, cancel at end without voiding',
    },
  }
  const table = `
    owing     | after grace | paused   | -grace subscription.paused +resume +invoice +boundary | invoicedIndex=0 unpaid=[] owedIndex=null graceEndsAt=null pausedAt=+0m
    canceling | after grace | canceled | -grace subscription.canceled                          | unpaid=[] owedIndex=null graceEndsAt=null cancelAtPeriodEnd=false endedAt=+0m endReason=unpaid
  `
  expect(differences(pausing, table, (_, event) => event === 'after grace')).toEqual([])
})

test('an anchor that was given stays when the first invoice is paid, and that of a trial too', () => {
  const given = { ...subscriptions, input: { ...subscriptionOpening, anchorGiven: true, anchorAt: minutes(3) } }
  for (const path of ['begin, paid 0', 'begin paid', 'begin trial, after invoice 0, paid 0, after boundary']) {
    const { value, context } = arrive(given, path)
    expect([path, value, context.anchorAt]).toEqual([path, 'active', minutes(3)])
  }
  expect(arrive(subscriptions, 'begin, paid 0').context.anchorAt).toEqual(minutes(5))
  expect(arrive(subscriptions, 'begin paid').context.anchorAt).toEqual(minutes(0))
})

test('a change takes effect with the period that it was made for', () => {
  const changed = arrive(subscriptions, 'begin, paid 0, after invoice 1, change, after invoice 1, paid 1')
  expect(changed).toMatchObject({ context: { totalMinor: 1000, pendingChange: { totalMinor: 2000 } } })
  const renewed = arrive(
    subscriptions,
    'begin, paid 0, after invoice 1, change, after invoice 1, paid 1, after boundary',
  )
  expect(renewed).toMatchObject({ context: { totalMinor: 2000, pendingChange: null, periodIndex: 1 } })
  const late = 'begin, paid 0, after invoice 1, change, after invoice 1, after boundary'
  expect(arrive(subscriptions, late)).toMatchObject({ value: 'past_due', context: { totalMinor: 1000 } })
  expect(arrive(subscriptions, `${late}, paid 1`)).toMatchObject({ value: 'active', context: { totalMinor: 2000 } })
})

test('a change does not take effect when the current period is paid late', () => {
  const paidLate = arrive(immediate, 'begin, change, after firstDue, paid 0')
  expect(paidLate).toMatchObject({
    value: 'active',
    context: { totalMinor: 1000, pendingChange: { totalMinor: 2000 } },
  })
})

test('payments of several invoices are known by their invoice', () => {
  const both = arrive(immediate, 'begin, after invoice 1')
  expect(both).toMatchObject({ context: { unpaid: [{ periodIndex: 0 }, { invoiceId: invoiceIdOf(1) }] } })
  expect(arrive(immediate, 'begin, after invoice 1, paid 0')).toMatchObject({
    context: { unpaid: [{ periodIndex: 1 }] },
  })
})
