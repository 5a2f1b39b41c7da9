import { describe, expect, test } from 'bun:test'
import { payments, refund } from './payment-cases.ts'
import { arrive, type Subject, step } from './table.ts'

describe('money that comes when a payment has ended', () => {
  const ends = [
    ['expired', 'pick, over'],
    ['failed', 'pick, reverted'],
    ['canceled', 'pick, cancel'],
    ['failed', 'pick, see only 400, 400 final, over'],
  ]

  test.each(ends)(
    'a merchant who wants to see late money first is asked about stablecoins too: %s, “%s”',
    (end, path) => {
      const careful = { ...payments, input: { ...payments.input, latePolicy: 'needs_attention' } }
      for (const [seen, all] of [
        ['now 1000', '1000'],
        ['now 1200', '1200'],
      ]) {
        const paidLate = arrive(careful, `${path}, ${seen}`)
        expect(step(careful, paidLate, `accept late ${all}`)).toBeUndefined()
        expect(step(careful, paidLate, `late ${all}`)).toMatchObject({ to: 'stays', asks: 'payment.late' })
        expect(arrive(careful, `${path}, ${seen}, late ${all}`)).toMatchObject({
          value: end,
          context: { exception: 'late', attention: true },
        })
      }
    },
  )

  test.each(ends)('what was late in part is taken when the rest has come: %s, “%s”', (_end, path) => {
    expect(arrive(payments, `${path}, now 600, late 600, now 1000, accept late 1000`)).toMatchObject({
      value: 'success',
      context: { receivedMinor: 1000, exception: null, failureReason: null, attention: false },
    })
    // What was promised back pays for nothing.
    const promised = arrive(payments, `${path}, now 600, late 600, reserve 300, now 1000`)
    expect(step(payments, promised, 'accept late 1000')).toBeUndefined()
    expect(step(payments, promised, 'late 1000')).toMatchObject({ to: 'stays', asks: 'payment.late' })
  })

  // 300 of 1,000 cents are 300.3 of 1,001 atomic units.
  test.each([
    [1, 1_002n],
    [300, 1_301n],
    [599, 1_600n],
  ])('what is promised back is rounded up before late money is measured: %p cents, %p units', (cents, tooLittle) => {
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
    const promised = 'pick, over, now 600, late 600, reserve'
    const short = arrive(uneven, `${promised}, now too little`)
    expect(step(uneven, short, 'accept too little')).toBeUndefined()
    expect(step(uneven, short, 'late too little')).toMatchObject({ to: 'stays', asks: 'payment.late' })
    expect(arrive(uneven, `${promised}, now enough, accept enough`).value).toBe('success')
  })

  test('what came too late in all waits for nobody when the rest has come and is welcome', () => {
    const underpaid = 'pick, see only 400, 400 final, over'
    const settled = { amountFinal: 1000n, failureReason: null, exception: null, attention: false }
    expect(arrive(payments, underpaid).context).toMatchObject({ attention: true })
    expect(arrive(payments, `${underpaid}, now 1000, accept late 1000`)).toMatchObject({
      value: 'success',
      context: settled,
    })
    // What went astray is still for somebody to decide.
    expect(arrive(payments, `${underpaid}, wrong asset, now 1000, accept late 1000`)).toMatchObject({
      value: 'success',
      context: { ...settled, exception: 'wrong_asset', attention: true },
    })
  })

  const givenBack = (all: string) => `reserve ${all}, refunded ${all}`
  const subject: Subject = {
    ...payments,
    events: {
      ...payments.events,
      'reserve 400': refund('reserve_refund', 400),
      'refunded 400': refund('refund_processed', 400),
    },
  }
  const late = 'pick, over, now 400 in block 8, late 400'

  test('what came too late and is given back waits for nobody, and cannot be accepted any more', () => {
    expect(arrive(subject, `${late}, ${givenBack('400')}`)).toMatchObject({ context: { attention: false } })
    expect(arrive(subject, `${late}, ${givenBack('300')}`)).toMatchObject({ context: { attention: true } })
    expect(step(subject, arrive(subject, `${late}, reserve 400`), 'accept')).toBeUndefined()
    expect(step(subject, arrive(subject, `${late}, reserve 300`), 'accept')).toBeDefined()
    const astray = arrive(subject, `${late}, final on a wrong chain, ${givenBack('400')}`)
    expect(astray).toMatchObject({ context: { attention: true } })
    expect(step(subject, astray, 'accept')).toBeDefined()
  })

  test('final money in the picked asset is what is accepted, whatever else has come', () => {
    const paidWith = {
      ...payments.events.pick,
      ...{ asset: 'OUSD', tokenAddress: `0x${'d'.repeat(40)}`, scan: 9, amountReceived: 700n, amountFinal: 700n },
      ...{ payerAddress: null, txHash: null, blockNumber: 9, stray: null, finalStrays: 0 },
    }
    const other: Subject = { ...subject, events: { ...subject.events, 'accept other': { type: 'accept', paidWith } } }
    const astray = 'pick, final on a wrong chain'
    expect(arrive(other, `${astray}, accept other`)).toMatchObject({
      value: 'success',
      context: { asset: 'OUSD', amountReceived: 700n, receivedMinor: 700, stray: null, exception: 'wrong_chain' },
    })
    for (const path of ['pick, see only 400, 400 final, final on a wrong chain', `${late}, final on a wrong chain`])
      expect(arrive(other, `${path}, accept other`)).toMatchObject({
        value: 'success',
        context: { asset: 'TUSD', receivedMinor: 400 },
      })
    // What was promised back was promised in the picked asset.
    expect(arrive(other, `${late}, reserve 400, final on a wrong chain, accept other`)).toMatchObject({
      value: 'success',
      context: { asset: 'TUSD', receivedMinor: 400, refundsReservedMinor: 400 },
    })
  })
})
