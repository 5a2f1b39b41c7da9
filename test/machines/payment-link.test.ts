import { describe, expect, test } from 'bun:test'
import { paymentLinks } from './payment-link-cases.ts'
import { arrive, creation, differences, shortestPaths, step } from './table.ts'

describe('payment link', () => {
  test('a new link is active until it expires', () => {
    expect(creation(paymentLinks)).toEqual({ to: 'active', effects: '+expiry', changes: '' })
  })

  test('every event has the listed outcome in every situation, and is refused where none is listed', () => {
    expect(
      differences(
        paymentLinks,
        `
      Payments are opened until successes and those in processing reach the maximum.
      new, one processing, one paid                           | open         | stays       |         | paymentsOpened=1

      Payments are counted in every state, since those that are open run on.
      new, one paid, completed, deactivated, expired          | processing   | stays       |         | paymentsProcessing=1
      one processing, one of each                             | processing   | stays       |         | paymentsProcessing=2
      completed busy, deactivated busy, expired busy          | processing   | stays       |         | paymentsProcessing=2
      two processing                                          | processing   | stays       |         | paymentsProcessing=3
      one processing, one of each                             | reverted     | stays       |         | paymentsProcessing=0
      completed busy, deactivated busy, expired busy          | reverted     | stays       |         | paymentsProcessing=0
      two processing                                          | reverted     | stays       |         | paymentsProcessing=1
      one processing, deactivated busy, expired busy          | succeeded    | stays       |         | paymentsProcessing=0 paymentsCount=1
      two processing                                          | succeeded    | stays       |         | paymentsProcessing=1 paymentsCount=1
      completed busy                                          | succeeded    | stays       |         | paymentsProcessing=0 paymentsCount=3
      new, one processing, two processing                     | accepted     | stays       |         | paymentsCount=1
      deactivated, deactivated busy, expired, expired busy    | accepted     | stays       |         | paymentsCount=1
      completed, completed busy                               | accepted     | stays       |         | paymentsCount=3

      The last success completes it.
      one paid, one of each                                   | accepted     | completed   | -expiry | paymentsCount=2
      one of each                                             | succeeded    | completed   | -expiry | paymentsProcessing=0 paymentsCount=2

      It is closed by the merchant or by time.
      new, one processing, two processing, one paid           | deactivate   | deactivated | -expiry | deactivatedAt=+0m
      one of each                                             | deactivate   | deactivated | -expiry | deactivatedAt=+0m
      new, one processing, two processing, one paid           | after expiry | expired     | -expiry |
      one of each                                             | after expiry | expired     | -expiry |
      `,
      ),
    ).toEqual([])
  })

  test('every state is reached', () => {
    expect(shortestPaths(paymentLinks)).toEqual({
      active: '',
      completed: 'accepted, accepted',
      deactivated: 'deactivate',
      expired: 'after expiry',
    })
  })

  test('a link without a maximum and an expiry is never completed', () => {
    const endless = { ...paymentLinks, input: { ...paymentLinks.input, ...unlimited } }
    const usedLink = arrive(endless, 'accepted, accepted, processing, processing, succeeded')
    expect(usedLink.value).toBe('active')
    expect(step(endless, usedLink, 'open at the end')?.to).toBe('stays')
  })

  test('a hidden link opens and counts payments, and cannot be deactivated', () => {
    const hidden = { ...paymentLinks, input: { ...paymentLinks.input, ...unlimited, hidden: true } }
    const usedLink = arrive(hidden, 'open, processing, succeeded')
    expect(usedLink.context).toMatchObject({ paymentsOpened: 1, paymentsCount: 1 })
    expect(step(hidden, usedLink, 'deactivate')).toBeUndefined()
  })

  test('a hidden link is closed with its invoice, and opens no payment any more', () => {
    const hidden = { ...paymentLinks, input: { ...paymentLinks.input, ...unlimited, hidden: true } }
    const closing = step(hidden, arrive(hidden, 'open, processing'), 'close')
    expect(closing).toEqual({ to: 'deactivated', effects: '-expiry', changes: 'deactivatedAt=+0m' })
    expect(step(hidden, arrive(hidden, 'open, processing, close'), 'open')).toBeUndefined()
    expect(step(hidden, arrive(hidden, 'open, processing, close'), 'succeeded')?.to).toBe('stays')
  })
})

const unlimited = { maxPayments: null, expiresAt: null, reference: null }
