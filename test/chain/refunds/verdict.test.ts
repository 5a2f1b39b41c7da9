import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { encodeId } from '../../../src/ids.ts'
import { readableLog } from '../../harness/lines.ts'
import { customer, decide, openRefundFixtureOfFile } from './refund-fixture.ts'

const { server, fixture } = await openRefundFixtureOfFile()

const word = (value: bigint) => value.toString(16).padStart(64, '0')

/** Code that calls `transfer(customer, amount)` of a token. */
const call = (token: string, amount: bigint) =>
  `7f${word(BigInt(customer))}6004527f${word(amount)}6024525f5f60445f5f73${token.slice(2)}5af150`

/** A contract that makes these token calls, as multisig wallets do. */
const byContract = (...calls: readonly string[]) => fixture.send({ data: `0x63a9059cbb60e01b5f52${calls.join('')}00` })

const checked = async (refund: Actor<Refund>, txHash: string) => {
  await fixture.apply(refund, { type: 'transaction_sent', txHash })
  await fixture.finalizeAll()
  const { log, lines } = readableLog()
  for (let n = 0; n < 2; n++) await decide({ ...server, api: { ...server.api, log } }, fixture.chainOf())
  const { attention, strayTxHash } = (await fixture.find(refund.id)).context
  return { ...(await fixture.summaryOf(refund)), attention, strayTxHash, lines: lines() }
}

const lineOf = ({ id }: Actor<Refund>, txHash: string, why: string) =>
  expect.objectContaining({ level: 40, refund: encodeId('re', id), chain: 31337, txHash, why })

const exact = () => call(fixture.chain.token, 1000n)
const paid = { state: 'processed', failureReason: null, refunded: 1000, reserved: 1000, events: ['refund.processed'] }

test('a refund that a contract pays exactly is processed without attention', async () => {
  const refund = await fixture.createRefund()
  const seen = await checked(refund, await byContract(exact()))
  expect(seen).toMatchObject({ ...paid, attention: false, strayTxHash: null, lines: [] })
})

test.each([
  ['the amount twice', () => [exact(), exact()]],
  ['something more', () => [call(fixture.chain.token, 7n), exact()]],
  ['something of another token', () => [exact(), call(fixture.chain.otherToken, 1n)]],
])('a refund paid with %s in one transaction is processed and needs attention for the rest', async (_, calls) => {
  const refund = await fixture.createRefund()
  const hash = await byContract(...calls())
  const seen = await checked(refund, hash)
  expect(seen).toMatchObject({ ...paid, attention: true, strayTxHash: hash })
  expect(seen.lines).toEqual([lineOf(refund, hash, 'paid_more')])
})

test('an additional transfer of amount 0 needs no attention', async () => {
  const refund = await fixture.createRefund()
  const seen = await checked(refund, await byContract(exact(), call(fixture.chain.token, 0n)))
  expect(seen).toMatchObject({ ...paid, attention: false, lines: [] })
})

test.each([
  ['less than the amount', 'amount_mismatch', () => [call(fixture.chain.token, 400n)]],
  [
    'the amount in two parts',
    'amount_mismatch',
    () => [call(fixture.chain.token, 400n), call(fixture.chain.token, 600n)],
  ],
  ['another token', 'wrong_asset', () => [call(fixture.chain.otherToken, 1000n)]],
])(
  'a transaction that paid the customer %s fails and needs attention before it is signed again',
  async (_, why, calls) => {
    const refund = await fixture.createRefund()
    const hash = await byContract(...calls())
    const seen = await checked(refund, hash)
    expect(seen).toMatchObject({ state: 'failed', failureReason: why, reserved: 0, attention: true, strayTxHash: hash })
    expect(seen.lines).toEqual([lineOf(refund, hash, why)])
  },
)

test.each([
  ['moves nothing', () => fixture.send({ to: customer })],
  ['moves nothing of the asset', () => fixture.chain.pay(customer, 0n)],
  ['reverts', () => fixture.send({ data: '0x5f5ffd' })],
  ['pays another address', () => fixture.chain.pay(`0x${'e1'.repeat(20)}`, 1000n)],
])('a transaction that %s fails and can be signed again immediately', async (_, pay) => {
  const refund = await fixture.createRefund()
  const seen = await checked(refund, await pay())
  expect(seen).toMatchObject({ state: 'failed', attention: false, strayTxHash: null, lines: [] })
})
