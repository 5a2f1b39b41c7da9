import { describe, expect, test } from 'bun:test'
import { payments, refund } from './payment-cases.ts'
import { arrive, type Subject, step } from './table.ts'

describe('money that arrives after a payment has ended', () => {
  const ends = [
    ['expired', 'pick, over'],
    ['failed', 'pick, reverted'],
    ['canceled', 'pick, cancel'],
    ['failed', 'pick, see only 400, 400 final, over'],
  ]

  test.each(ends)('with the late policy for review, stablecoins need a decision too: %s, “%s”', (end, path) => {
    const withReview = { ...payments, input: { ...payments.input, latePolicy: 'needs_attention' } }
    for (const [seen, all] of [
      ['now 1000', '1000'],
      ['now 1200', '1200'],
    ]) {
      const paidLate = arrive(withReview, `${path}, ${seen}`)
      expect(step(withReview, paidLate, `accept late ${all}`)).toBeUndefined()
      expect(step(withReview, paidLate, `late ${all}`)).toMatchObject({ to: 'stays', effects: 'payment.late' })
      expect(arrive(withReview, `${path}, ${seen}, late ${all}`)).toMatchObject({
        value: end,
        context: { exception: 'late', attention: true },
      })
    }
  })

  test.each(ends)('late partial amounts are credited when the rest has arrived: %s, “%s”', (_end, path) => {
    expect(arrive(payments, `${path}, now 600, late 600, now 1000, accept late 1000`)).toMatchObject({
      value: 'success',
      context: { receivedMinor: 1000, exception: null, failureReason: null, attention: false },
    })
    // What is reserved for a refund does not count towards the price.
    const withReserved = arrive(payments, `${path}, now 600, late 600, reserve 300, now 1000`)
    expect(step(payments, withReserved, 'accept late 1000')).toBeUndefined()
    expect(step(payments, withReserved, 'late 1000')).toMatchObject({ to: 'stays', effects: 'payment.late' })
  })

  // 300 of 1,000 cents are 300.3 of 1,001 atomic units.
  test.each([
    [1, 1_002n],
    [300, 1_301n],
    [599, 1_600n],
  ])(
    'amounts reserved for refunds are rounded up before late money is measured: %p cents, %p units',
    (cents, tooLittle) => {
      const amounts = (sum: bigint) => ({ amountReceived: sum, amountFinal: sum })
      const uneven: Subject = {
        ...payments,
        events: {
          ...payments.events,
          pick: { ...payments.events.pick, type: 'asset_picked', amountExpected: 1_001n },
          reserve: refund('reserve_refund', cents),
          'now too little': { ...payments.events['now 600'], type: 'amount_seen', ...amounts(tooLittle) },
          'accept too little': { ...payments.events['late 600'], type: 'late_accepted', ...amounts(tooLittle) },
          'late too little': { ...payments.events['late 600'], type: 'late_finalized', ...amounts(tooLittle) },
          'now enough': { ...payments.events['now 600'], type: 'amount_seen', ...amounts(tooLittle + 1n) },
          'accept enough': { ...payments.events['late 600'], type: 'late_accepted', ...amounts(tooLittle + 1n) },
        },
      }
      const withReserved = 'pick, over, now 600, late 600, reserve'
      const short = arrive(uneven, `${withReserved}, now too little`)
      expect(step(uneven, short, 'accept too little')).toBeUndefined()
      expect(step(uneven, short, 'late too little')).toMatchObject({ to: 'stays', effects: 'payment.late' })
      expect(arrive(uneven, `${withReserved}, now enough, accept enough`).value).toBe('success')
    },
  )

  test('late partial amounts need no decision when the rest has arrived and is credited', () => {
    const underpaid = 'pick, see only 400, 400 final, over'
    const settled = { amountFinal: 1000n, failureReason: null, exception: null, attention: false }
    expect(arrive(payments, underpaid).context).toMatchObject({ attention: true })
    expect(arrive(payments, `${underpaid}, now 1000, accept late 1000`)).toMatchObject({
      value: 'success',
      context: settled,
    })
    // Money in another asset still needs a decision.
    expect(arrive(payments, `${underpaid}, wrong asset, now 1000, accept late 1000`)).toMatchObject({
      value: 'success',
      context: { ...settled, exception: 'wrong_asset', attention: true },
    })
  })

  const refundOf = (all: string) => `reserve ${all}, refunded ${all}`
  const subject: Subject = {
    ...payments,
    events: {
      ...payments.events,
      'reserve 400': refund('reserve_refund', 400),
      'refunded 400': refund('refund_processed', 400),
    },
  }
  const late = 'pick, over, now 400 in block 8, late 400'

  test('a late amount that was refunded needs no decision and can no longer be accepted', () => {
    expect(arrive(subject, `${late}, ${refundOf('400')}`)).toMatchObject({ context: { attention: false } })
    expect(arrive(subject, `${late}, ${refundOf('300')}`)).toMatchObject({ context: { attention: true } })
    expect(step(subject, arrive(subject, `${late}, reserve 400`), 'accept')).toBeUndefined()
    expect(step(subject, arrive(subject, `${late}, reserve 300`), 'accept')).toBeDefined()
    const withStray = arrive(subject, `${late}, final on a wrong chain, ${refundOf('400')}`)
    expect(withStray).toMatchObject({ context: { attention: true } })
    expect(step(subject, withStray, 'accept')).toBeDefined()
  })

  test('accepting credits final money in the picked asset, whatever else has arrived', () => {
    const paidWith = {
      ...payments.events.pick,
      ...{ asset: 'OUSD', tokenAddress: `0x${'d'.repeat(40)}`, scan: 9, amountReceived: 700n, amountFinal: 700n },
      ...{ payerAddress: null, txHash: null, blockNumber: 9, stray: null, finalStrays: 0 },
    }
    const other: Subject = { ...subject, events: { ...subject.events, 'accept other': { type: 'accept', paidWith } } }
    const withStray = 'pick, final on a wrong chain'
    expect(arrive(other, `${withStray}, accept other`)).toMatchObject({
      value: 'success',
      context: { asset: 'OUSD', amountReceived: 700n, receivedMinor: 700, stray: null, exception: 'wrong_chain' },
    })
    for (const path of ['pick, see only 400, 400 final, final on a wrong chain', `${late}, final on a wrong chain`])
      expect(arrive(other, `${path}, accept other`)).toMatchObject({
        value: 'success',
        context: { asset: 'TUSD', receivedMinor: 400 },
      })
    // What was reserved is in the picked asset.
    expect(arrive(other, `${late}, reserve 400, final on a wrong chain, accept other`)).toMatchObject({
      value: 'success',
      context: { asset: 'TUSD', receivedMinor: 400, refundsReservedMinor: 400 },
    })
  })
})
