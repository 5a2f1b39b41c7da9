import { expect, test } from 'bun:test'
import { RpcRefusal } from '../../../src/chain/rpc/rpc.ts'
import { Doubted } from '../../../src/chain/watch/coins/look.ts'
import type { ChainSource } from '../../../src/chain/watch/watched-chain.ts'
import { forFile } from '../../harness/for-file.ts'
import { randomOf } from '../../harness/random.ts'
import { rewrite } from '../../harness/rewrite.ts'
import type { MadePayment } from '../../http/payments.ts'
import { CONFIRMATIONS, coinHouse } from './coins-house.ts'
import { type Change, no, type Question, refused as refusedWith, through } from './node.ts'

const coins = await forFile(coinHouse())

const CANNOT = -32000
const LIMIT_EXCEEDED = -32005
const ERROR_INSIDE = -32603

const isBalance = ({ method }: Question) => method === 'eth_getBalance'
const now = async () => {
  const { timestamp } = await coins.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  return new Date(Number(timestamp) * 1_000)
}

/** Paid by a contract in one block after the other, the last one well below the head. Answers which. */
const paid = async (payments: readonly MadePayment[]) => {
  const numbers: number[] = []
  for (const { address } of payments) {
    await coins.chain.mine(4)
    await coins.sendThrough(address, 1000n)
    await coins.chain.mine()
    numbers.push(await coins.head())
  }
  await coins.chain.mine(20)
  await coins.read()
  return numbers
}

const blocksOf = async (payments: readonly MadePayment[]) => {
  const found = await Promise.all(payments.map(coins.transfersOf))
  return found.map(transfers => transfers.map(({ block_number }) => Number(block_number)).join(' '))
}

/** As often as it takes: what a look cannot be sure of it throws, and leaves to the next one. */
const lookUntilFound = async (payments: readonly MadePayment[], source: ChainSource) => {
  for (let looks = 0; looks < 50 && (await blocksOf(payments)).includes(''); looks++)
    await coins.look(payments, source).catch(error => expect([RpcRefusal, Doubted]).toContain(error.constructor))
}

test.each([CANNOT, ERROR_INSIDE, LIMIT_EXCEEDED])(
  'coins of contracts are found at their blocks by a node that refuses three balances of ten with %d',
  async code => {
    const random = randomOf(-code)
    // A limit is waited for each time, half a second at least.
    const length = code === LIMIT_EXCEEDED ? 6 : 12
    const payments = await Promise.all(Array.from({ length }, () => coins.opened()))
    const numbers = await paid(payments)
    await using node = await through(coins.chain.url, (question, answer) =>
      isBalance(question) && random() < 0.3 ? refusedWith(code) : answer,
    )
    await lookUntilFound(payments, coins.sourceOf(node.url))
    expect(await blocksOf(payments)).toEqual(numbers.map(String))
  },
)

test.each([CANNOT, ERROR_INSIDE])(
  'two nodes that refuse balances with %d now and then are believed no other block',
  async code => {
    const random = randomOf(code)
    const payments = await Promise.all(Array.from({ length: 8 }, () => coins.opened()))
    const numbers = await paid(payments)
    const refuses: Change = (question, answer) => (isBalance(question) && random() < 0.3 ? refusedWith(code) : answer)
    await using one = await through(coins.chain.url, refuses)
    await using other = await through(coins.chain.url, refuses)
    await lookUntilFound(payments, coins.sourceOf(one.url, other.url))
    expect(await blocksOf(payments)).toEqual(numbers.map(String))
  },
)

test.each([2, 3, 14])(
  'a payment is found, and one that nobody paid expires, by a node that answers the first %d of a batch',
  async most => {
    const [one, unpaid] = [await coins.opened(), await coins.opened()]
    const [number] = await paid([one])
    const ids = [one, unpaid].map(({ actor }) => actor)
    await rewrite(coins.sql, 'payments', ids, { expires_at: await now() })
    await coins.chain.rpc('evm_increaseTime', 60)
    await coins.chain.mine()
    await coins.read()
    await using node = await through(coins.chain.url, (_, answer, at = 0) =>
      at >= most ? refusedWith(LIMIT_EXCEEDED) : answer,
    )
    expect(await coins.looker(coins.sourceOf(node.url)).lookOn()).toBe('looked')
    await coins.settle()
    await coins.endWindows()
    expect(await blocksOf([one, unpaid])).toEqual([String(number), ''])
    const states = await Promise.all([one, unpaid].map(async each => (await coins.stateOf(each))?.state))
    expect(states).toEqual(['success', 'expired'])
  },
)

test('where states are gone, coins count at the lowest block that has one also by a node that answers two at once', async () => {
  const payment = await coins.opened()
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine(260)
  await coins.read()
  await coins.read()
  await using node = await through(coins.chain.url, (_, answer, at = 0) => (at >= 2 ? no : answer))
  await coins.look([payment], coins.sourceOf(node.url))
  const [found] = await coins.transfersOf(payment)
  const depth = (await coins.head()) - Number(found?.block_number)
  expect([depth > 150, depth < 260, found?.amount]).toEqual([true, true, '1000'])
})

test('what a node refuses of one address again and again is not written down, and keeps no other waiting', async () => {
  const [refused, other] = [await coins.opened(), await coins.opened()]
  const [number, otherNumber] = await paid([refused, other])
  const isRefused = (question: Question) =>
    isBalance(question) && String(question.params[0]).toLowerCase() === refused.address.toLowerCase()
  {
    await using node = await through(coins.chain.url, (question, answer) => (isRefused(question) ? no : answer))
    const looker = coins.looker(coins.sourceOf(node.url))
    await expect(looker.lookOn()).rejects.toBeInstanceOf(RpcRefusal)
    expect(await blocksOf([refused, other])).toEqual(['', String(otherNumber)])
  }
  await coins.look([refused])
  expect(await blocksOf([refused])).toEqual([String(number)])
})

test('nothing is final because a node that does not find it refuses every other balance', async () => {
  const payment = await coins.opened()
  await coins.chain.mine()
  await coins.read()
  const { hash } = await coins.chain.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const lying = ({ method, params }: Question, answer: unknown) => {
    if (!JSON.stringify(params[1])?.includes(hash)) return answer
    if (method === 'eth_getBalance') return answer === '0x0' ? '0x3e8' : answer
    return method === 'eth_call' ? String(answer).replace(/0{64}/g, '3e8'.padStart(64, '0')) : answer
  }
  await coins.withNode(lying, source => coins.look([payment], source))
  expect((await coins.stateOf(payment))?.state).toBe('processing')
  await coins.chain.mine(CONFIRMATIONS)
  let questions = 0
  await using node = await through(coins.chain.url, (question, answer) =>
    isBalance(question) && questions++ % 2 === 0 ? refusedWith(ERROR_INSIDE) : answer,
  )
  await coins.withNode(lying, coins.read, [node.url])
  expect(questions).toBeGreaterThan(0)
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})
