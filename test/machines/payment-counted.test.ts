import { describe, expect, test } from 'bun:test'
import type { AnyEventObject } from 'xstate'
import type { Payment } from '../../machines/payment-events.ts'
import { countedMinor, type Transferred } from '../../machines/payment-sums.ts'
import { erasedEmail } from '../../src/email-key.ts'
import { acceptedAsset, payments } from './payment-cases.ts'
import { arrive, minutes, step } from './table.ts'

const { tokenAddress: TUSD } = payments.events.pick as unknown as Payment

/** `400@10`: 400 atomic units mined in minute 10. `?`: not final. `eth`, `chain 1`: another asset, another chain. */
const transfersIn = (text: string): readonly Transferred[] =>
  text.split(' + ').flatMap(part => {
    const [, amount, minute, open, where] = /^(\d+)@(\d+)(\??)(?: (eth|chain 1))?$/.exec(part) ?? []
    if (amount === undefined) return []
    const token = where === 'eth' ? null : TUSD
    return [
      {
        ...{ chainId: where === 'chain 1' ? 1 : 31337, token, amount: BigInt(amount) },
        ...{ final: open === '', minedAt: minutes(Number(minute)) },
      },
    ]
  })

// A payment of 1000 cents. Its window ends in minute 30, and the price in ether in minute 10.
const table = `
  Only final money in the window counts while the payment can still succeed.
  pick                                          |                                | 0
  pick, see only 400                            | 400@29?                        | 0
  pick, see only 400, 400 final                 | 400@29                         | 400
  pick, see only 600, 400 final                 | 400@29 + 200@29?               | 400
  pick, see only 600, 400 final                 | 400@30 + 200@31                | 400
  pick, see 1000                                | 400@29 + 600@29?               | 400
  pick, see 1200                                | 400@29 + 800@31                | 400

  Success counts the whole amount and what was received besides it.
  pick, see 1000, all 1000 final                | 1000@29                        | 1000
  pick, see 1200, all 1000 final                | 1000@29 + 200@29?              | 1000
  pick, see 1200, all 1000 final, 1200 final    | 1000@29 + 200@40               | 1200
  pick, over, now 1000, accept late 1000        | 1000@31                        | 1000
  pick, over, now 1000, late 400, accept        | 400@31                         | 1000
  pick, see only 400, 400 final, over, accept   | 400@29                         | 1000

  A payment that has ended keeps what was in time. Late money does not count.
  pick, over, now 1000, late 400                | 400@31                         | 0
  pick, over, now 1000, late 400                | 300@30 + 100@31                | 300
  pick, see only 400, 400 final, over           | 400@29                         | 400
  underpaid late                                | 400@29 + 200@31                | 400
  canceled late                                 | 400@31                         | 0

  Money after the price has expired is late, and money in time counts at that price.
  pick ether                                    | 400@10 eth                     | 400
  pick ether                                    | 400@11 eth                     | 0
  pick ether                                    | 400@10 eth + 400@11 eth        | 400
  paid ether late                               | 1000@31 eth                    | 0

  Other assets and chains count nothing until the payment is accepted.
  pick, wrong asset                             | 1000@5 eth                     | 0
  pick, final on a wrong chain                  | 1000@5 chain 1                 | 0
  pick, see only 400, 400 final, wrong asset    | 400@5 + 1000@5 eth             | 400
  pick, final on a wrong chain, accept other    | 700@5 chain 1                  | 1000

  Without an asset there is no amount in atomic units.
                                                | 1000@5 eth                     | 0
`

const subject = {
  ...payments,
  events: { ...payments.events, 'accept other': { type: 'accept', paidWith: acceptedAsset } },
}

describe('what counts of a payment', () => {
  const rows = table.split('\n').filter(line => line.includes('|'))
  test.each(rows.map(line => line.split('|').map(cell => cell.trim()) as [string, string, string]))(
    '%s, with %s: %s',
    (path, transfers, counted) => {
      const { value, context } = arrive(subject, payments.situations[path] ?? path)
      expect(countedMinor(String(value), context as Payment, transfersIn(transfers))).toBe(Number(counted))
    },
  )

  test('is rounded down, and never exceeds a safe integer', () => {
    const of = { ...(arrive(payments, 'pick').context as Payment), amountExpected: 3000n }
    const count = (amount: bigint) => countedMinor('pending', of, [{ ...transfersIn('1@5')[0], amount } as Transferred])
    expect([2n, 3n, 5n, 2999n, 10n ** 40n].map(count)).toEqual([0, 1, 1, 999, Number.MAX_SAFE_INTEGER])
  })
})

test.each([
  ['pick, see only 600', '400 final'],
  ['pick, see 1000', 'all 1000 final'],
  ['pick, over, now 1000', 'accept late 1000'],
])('after %s, %s for a void invoice sets attention', (path, name) => {
  const forVoid = { ...payments.events[name], isForVoidInvoice: true } as AnyEventObject
  const besides = { ...payments, events: { ...payments.events, 'for a void invoice': forVoid } }
  const before = arrive(besides, path)
  expect(step(besides, before, 'for a void invoice')?.changes).toContain('attention=true')
  expect(step(besides, before, name)?.changes).not.toContain('attention')
})

describe('after its customer was erased', () => {
  const email = erasedEmail('cus_0123')
  const erased = { ...payments, input: { ...payments.input, customerEmail: email, latePolicy: 'needs_attention' } }
  const ofInvoice = { ...erased, input: { ...erased.input, invoiceId: '0193a000-0000-7000-8000-000000000009' } }

  test.each([
    ['pick, see only 600', '400 final'],
    ['pick, see 1000', 'all 1000 final'],
    ['pick, over, now 1000', 'late 1000'],
  ])('money that arrives sets attention: %s, %s', (path, name) => {
    expect(step(erased, arrive(erased, path), name)?.changes).toContain('attention=true')
  })

  test('money that is accepted keeps attention if the payment is for an invoice', () => {
    const path = 'pick, over, now 1000, late 1000'
    const accepted = (subject: typeof payments) => arrive(subject, `${path}, accept`).context as Payment
    expect(accepted(ofInvoice).attention).toBe(true)
    expect(accepted(erased).attention).toBe(false)
    expect(accepted({ ...ofInvoice, input: { ...ofInvoice.input, customerEmail: 'ada@example.com' } }).attention).toBe(
      false,
    )
  })
})
