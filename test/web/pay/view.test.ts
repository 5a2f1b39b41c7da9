import { describe, expect, test } from 'bun:test'
import { type CheckoutView, checkoutView } from '../../../src/pages/checkout/view.ts'
import { checkoutFacts, minutesFromNow, shown, states, transfer } from './states.ts'

describe('the status of a page', () => {
  test.each(Object.entries(states))('%s', (_, { status, facts }) => {
    expect(checkoutView(facts).status).toBe(status)
  })

  test('each has a state here', () => {
    const all: readonly CheckoutView['status'][] = [
      ...(['open', 'pay', 'price_expired', 'seen', 'underpaid', 'wrong_asset', 'wrong_chain', 'paid'] as const),
      ...(['overpaid', 'expired', 'late', 'failed', 'canceled', 'closed', 'not_found', 'unavailable'] as const),
    ]
    expect([...new Set(Object.values(states).map(({ status }) => status))].sort()).toEqual([...all].sort())
  })
})

const viewOf = <Status extends CheckoutView['status']>(name: string, status: Status) => {
  const facts = states[name]?.facts
  const view = facts && checkoutView(facts)
  if (view?.status !== status) throw new Error(`${name} is ${view?.status}`)
  return view as CheckoutView & { status: Status }
}

describe('the amount', () => {
  test.each([
    ['pay', '49.00 USDC', '49.00', 49_000_000n],
    ['pay-ether', '0.013246 ETH', '0.013246', 13_246_000_000_000_000n],
    ['pay-largest', '90071992547409.91 USDC', '90071992547409.91', 90_071_992_547_409_910_000n],
  ])('of %s is one value in text, copy and QR', (name, text, number, units) => {
    const { due } = viewOf(name, 'pay')
    expect(due?.amount).toEqual({ text: text.replace(' ', '\u00a0'), number, units })
    expect(due?.uri).toContain(`=${units}`)
  })

  test('that is rounded up does not count as overpaid', () => {
    // A coin of which a millionth is worth ten dollars.
    const of = {
      ...{ asset: 'BIG', tokenAddress: null, decimals: 18, pegged: false, quoteExpiresAt: minutesFromNow(20) },
      ...{ amountExpected: 4_900_000_000_001n, amountMinor: 4900 },
    }
    const view = checkoutView(checkoutFacts({ payment: shown({ of }) }))
    expect(view.status === 'pay' && view.due?.amount.units).toBe(4_901_000_000_000n)
  })

  test('still due is what has not arrived, also before the payment has received the event', () => {
    expect(viewOf('underpaid', 'underpaid').due?.amount.text).toBe('13.00\u00a0USDC')
    const view = checkoutView(checkoutFacts({ payment: shown({ transfers: [transfer(36_000_000n)] }) }))
    expect(view.status === 'underpaid' && view.due?.amount.text).toBe('13.00\u00a0USDC')
  })
})

describe('the list of assets', () => {
  test('begins with those at par, and of these with what can be chosen', () => {
    const { choices } = viewOf('open-chain-trouble', 'open')
    expect(choices.map(({ option, lack }) => [option.network, option.asset, lack])).toEqual([
      ['Polygon', 'USDC', null],
      ['Polygon', 'USDT', null],
      ['Ethereum', 'USDC', null],
      ['Base', 'USDC', 'network'],
      ['Ethereum', 'ETH', null],
    ])
    expect(choices.map(({ isChecked }) => isChecked)).toEqual([true, false, false, false, false])
  })

  test('has the asset of the payment checked, and is empty once money has arrived', () => {
    const of = { chainId: 137, asset: 'USDT' }
    const view = checkoutView(checkoutFacts({ payment: shown({ of }) }))
    const checked = view.status === 'pay' ? view.choices.filter(({ isChecked }) => isChecked) : []
    expect(checked.map(({ option }) => option.asset)).toEqual(['USDT'])
    expect(viewOf('underpaid', 'underpaid').choices).toEqual([])
    expect(viewOf('wrong-asset', 'wrong_asset').choices).toEqual([])
  })
})

describe('a payment window', () => {
  const at = (minutes: number, quoted: number | null, expires: number) =>
    checkoutView(
      checkoutFacts({
        now: minutesFromNow(minutes),
        payment: shown({
          of: {
            ...{ expiresAt: minutesFromNow(expires), pegged: quoted === null },
            quoteExpiresAt: quoted === null ? null : minutesFromNow(quoted),
          },
        }),
      }),
    ).status

  test.each([
    // now, price until, window until
    [29, null, 30, 'pay'],
    [30, null, 30, 'expired'],
    [29, 30, 30, 'pay'],
    [30, 30, 30, 'expired'],
    [29, 30, 90, 'pay'],
    [30, 30, 90, 'price_expired'],
    [89, 30, 90, 'price_expired'],
    [90, 30, 90, 'expired'],
  ] as const)('%p minutes on, with a price until %p and a window until %p, is %p', (now, quoted, expires, status) => {
    expect(at(now, quoted, expires)).toBe(status)
  })
})
