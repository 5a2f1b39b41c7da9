import { expect, test } from 'bun:test'
import { RpcFault, RpcRefusal } from '../../../src/chain/rpc/rpc.ts'
import { BalancesDisagree } from '../../../src/chain/watch/native/check-balances.ts'
import type { ChainSource } from '../../../src/chain/watch/watched-chain.ts'
import { forFile } from '../../harness/for-file.ts'
import { randomOf } from '../../harness/random.ts'
import { rewrite } from '../../harness/rewrite.ts'
import { until } from '../../harness/until.ts'
import type { MadePayment } from '../../http/payments.ts'
import { CONFIRMATIONS, openNativeFixture } from './native-fixture.ts'
import { type AnswerChange, changedNode, type NodeCall, refusal, refusalWith as refusedWith } from './test-node.ts'

const fixture = await forFile(openNativeFixture())

const CANNOT = -32000
const LIMIT_EXCEEDED = -32005
const ERROR_INSIDE = -32603

const isBalance = ({ method }: NodeCall) => method === 'eth_getBalance'
const now = async () => {
  const { timestamp } = await fixture.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  return new Date(Number(timestamp) * 1_000)
}

/** Makes internal transfers in consecutive blocks, the last one well below the head. Returns the blocks. */
const paid = async (payments: readonly MadePayment[]) => {
  const numbers: number[] = []
  for (const { address } of payments) {
    await fixture.chain.mine(4)
    await fixture.sendInternally(address, 1000n)
    await fixture.chain.mine()
    numbers.push(await fixture.head())
  }
  await fixture.chain.mine(20)
  await fixture.read()
  return numbers
}

const blocksOf = async (payments: readonly MadePayment[]) => {
  const found = await Promise.all(payments.map(fixture.transfersOf))
  return found.map(transfers => transfers.map(({ block_number }) => Number(block_number)).join(' '))
}

/** Repeats the check as often as needed: a check throws where it is not certain, and the next one continues. */
const checkUntilFound = (payments: readonly MadePayment[], source: ChainSource) =>
  until(async () => {
    await fixture
      .check(payments, source)
      // A fault: on a busy machine a rate limit is waited for until the time is over.
      .catch(error => expect([RpcRefusal, BalancesDisagree, RpcFault]).toContain(error.constructor))
    return !(await blocksOf(payments)).includes('')
  })

test.each([CANNOT, ERROR_INSIDE, LIMIT_EXCEEDED])(
  'internal transfers are found in their blocks by a node that refuses three balances of ten with %d',
  async code => {
    const random = randomOf(-code)
    // Each rate limit is waited for, half a second or more.
    const length = code === LIMIT_EXCEEDED ? 6 : 12
    const payments = await Promise.all(Array.from({ length }, () => fixture.openPayment()))
    const numbers = await paid(payments)
    await using node = await changedNode(fixture.chain.url, (call, answer) =>
      isBalance(call) && random() < 0.3 ? refusedWith(code) : answer,
    )
    await checkUntilFound(payments, fixture.sourceOf(node.url))
    expect(await blocksOf(payments)).toEqual(numbers.map(String))
  },
)

test.each([CANNOT, ERROR_INSIDE])(
  'two nodes that refuse balances with %d now and then are believed no other block',
  async code => {
    const random = randomOf(code)
    const payments = await Promise.all(Array.from({ length: 8 }, () => fixture.openPayment()))
    const numbers = await paid(payments)
    const refuses: AnswerChange = (call, answer) => (isBalance(call) && random() < 0.3 ? refusedWith(code) : answer)
    await using one = await changedNode(fixture.chain.url, refuses)
    await using other = await changedNode(fixture.chain.url, refuses)
    await checkUntilFound(payments, fixture.sourceOf(one.url, other.url))
    expect(await blocksOf(payments)).toEqual(numbers.map(String))
  },
)

test.each([2, 3, 14])(
  'a payment is found, and an unpaid one expires, by a node that answers the first %d of a batch',
  async most => {
    const [one, unpaid] = [await fixture.openPayment(), await fixture.openPayment()]
    const [number] = await paid([one])
    const ids = [one, unpaid].map(({ actor }) => actor)
    await rewrite(fixture.sql, 'payments', ids, { expires_at: await now() })
    await fixture.chain.rpc('evm_increaseTime', 60)
    await fixture.chain.mine()
    await fixture.read()
    await using node = await changedNode(fixture.chain.url, (_, answer, at = 0) =>
      at >= most ? refusedWith(LIMIT_EXCEEDED) : answer,
    )
    expect(await fixture.balanceChecker(fixture.sourceOf(node.url)).checkNext()).toBe('checked')
    await fixture.settle()
    await fixture.endWindows()
    expect(await blocksOf([one, unpaid])).toEqual([String(number), ''])
    const states = await Promise.all([one, unpaid].map(async each => (await fixture.stateOf(each))?.state))
    expect(states).toEqual(['success', 'expired'])
  },
)

test('where states are pruned, a node that answers two calls of a batch finds the lowest block with a state', async () => {
  const payment = await fixture.openPayment()
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine(260)
  await fixture.read()
  await fixture.read()
  await using node = await changedNode(fixture.chain.url, (_, answer, at = 0) => (at >= 2 ? refusal : answer))
  await fixture.check([payment], fixture.sourceOf(node.url))
  const [found] = await fixture.transfersOf(payment)
  const depth = (await fixture.head()) - Number(found?.block_number)
  expect([depth > 150, depth < 260, found?.amount]).toEqual([true, true, '1000'])
})

test('an address that a node keeps refusing is not recorded, and does not delay others', async () => {
  const [refused, other] = [await fixture.openPayment(), await fixture.openPayment()]
  const [number, otherNumber] = await paid([refused, other])
  const isRefused = (call: NodeCall) =>
    isBalance(call) && String(call.params[0]).toLowerCase() === refused.address.toLowerCase()
  {
    await using node = await changedNode(fixture.chain.url, (call, answer) => (isRefused(call) ? refusal : answer))
    const checker = fixture.balanceChecker(fixture.sourceOf(node.url))
    await expect(checker.checkNext()).rejects.toBeInstanceOf(RpcRefusal)
    expect(await blocksOf([refused, other])).toEqual(['', String(otherNumber)])
  }
  await fixture.check([refused])
  expect(await blocksOf([refused])).toEqual([String(number)])
})

test('an invented transfer does not become final because the correct node refuses every second balance', async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.mine()
  await fixture.read()
  const { hash } = await fixture.chain.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const wrongAnswers = ({ method, params }: NodeCall, answer: unknown) => {
    if (!JSON.stringify(params[1])?.includes(hash)) return answer
    if (method === 'eth_getBalance') return answer === '0x0' ? '0x3e8' : answer
    return method === 'eth_call' ? String(answer).replace(/0{64}/g, '3e8'.padStart(64, '0')) : answer
  }
  await fixture.withNode(wrongAnswers, source => fixture.check([payment], source))
  expect((await fixture.stateOf(payment))?.state).toBe('processing')
  await fixture.chain.mine(CONFIRMATIONS)
  let calls = 0
  await using node = await changedNode(fixture.chain.url, (call, answer) =>
    isBalance(call) && calls++ % 2 === 0 ? refusedWith(ERROR_INSIDE) : answer,
  )
  await fixture.withNode(wrongAnswers, fixture.read, [node.url])
  expect(calls).toBeGreaterThan(0)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})
