import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { encodeId } from '../../../src/ids.ts'
import { readableLog } from '../../harness/lines.ts'
import { customer, decide, houseOfFile } from './refund-house.ts'

const { house, on } = await houseOfFile()

const word = (value: bigint) => value.toString(16).padStart(64, '0')

/** `transfer(customer, amount)` of a token, as code. */
const call = (token: string, amount: bigint) =>
  `7f${word(BigInt(customer))}6004527f${word(amount)}6024525f5f60445f5f73${token.slice(2)}5af150`

/** What a contract does that calls tokens so, as the wallets of several people do. */
const byContract = (...calls: readonly string[]) => on.send({ data: `0x63a9059cbb60e01b5f52${calls.join('')}00` })

const judged = async (refund: Actor<Refund>, txHash: string) => {
  await on.happen(refund, { type: 'transaction_sent', txHash })
  await on.bury()
  const { log, lines } = readableLog()
  for (let n = 0; n < 2; n++) await decide({ ...house, api: { ...house.api, log } }, on.chainOf())
  const { attention, strayTxHash } = (await on.find(refund.id)).context
  return { ...(await on.look(refund)), attention, strayTxHash, lines: lines() }
}

const lineOf = ({ id }: Actor<Refund>, txHash: string, why: string) =>
  expect.objectContaining({ level: 40, refund: encodeId('re', id), chain: 31337, txHash, why })

const exact = () => call(on.chain.token, 1000n)
const paid = { state: 'processed', failureReason: null, refunded: 1000, reserved: 1000, events: ['refund.processed'] }

test('one that a contract pays as it should be is paid, and nobody is told', async () => {
  const refund = await on.made()
  const seen = await judged(refund, await byContract(exact()))
  expect(seen).toMatchObject({ ...paid, attention: false, strayTxHash: null, lines: [] })
})

test.each([
  ['the amount twice', () => [exact(), exact()]],
  ['something more', () => [call(on.chain.token, 7n), exact()]],
  ['something of another token', () => [exact(), call(on.chain.otherToken, 1n)]],
])('one that is paid %s by one transaction is paid, and a person is to look at the rest', async (_, calls) => {
  const refund = await on.made()
  const hash = await byContract(...calls())
  const seen = await judged(refund, hash)
  expect(seen).toMatchObject({ ...paid, attention: true, strayTxHash: hash })
  expect(seen.lines).toEqual([lineOf(refund, hash, 'paid_more')])
})

test('a transfer of nothing beside the exact one is nothing to look at', async () => {
  const refund = await on.made()
  const seen = await judged(refund, await byContract(exact(), call(on.chain.token, 0n)))
  expect(seen).toMatchObject({ ...paid, attention: false, lines: [] })
})

test.each([
  ['less than it should', 'amount_mismatch', () => [call(on.chain.token, 400n)]],
  ['the amount in two parts', 'amount_mismatch', () => [call(on.chain.token, 400n), call(on.chain.token, 600n)]],
  ['another token', 'wrong_asset', () => [call(on.chain.otherToken, 1000n)]],
])('what has brought the customer %s fails, and a person looks before it is signed again', async (_, why, calls) => {
  const refund = await on.made()
  const hash = await byContract(...calls())
  const seen = await judged(refund, hash)
  expect(seen).toMatchObject({ state: 'failed', failureReason: why, reserved: 0, attention: true, strayTxHash: hash })
  expect(seen.lines).toEqual([lineOf(refund, hash, why)])
})

test.each([
  ['moves nothing', () => on.send({ to: customer })],
  ['moves nothing of the asset', () => on.chain.pay(customer, 0n)],
  ['reverts', () => on.send({ data: '0x5f5ffd' })],
  ['pays somebody else', () => on.chain.pay(`0x${'e1'.repeat(20)}`, 1000n)],
])('what %s fails, and may be signed again without a look', async (_, pay) => {
  const refund = await on.made()
  const seen = await judged(refund, await pay())
  expect(seen).toMatchObject({ state: 'failed', attention: false, strayTxHash: null, lines: [] })
})
