import { expect, test } from 'bun:test'
import { Doubted } from '../../../src/chain/watch/coins/look.ts'
import { lookNow } from '../../../src/chain/watch/coins/watch.ts'
import { faultyNode } from '../../harness/faulty-node.ts'
import { forFile } from '../../harness/for-file.ts'
import { rewrite } from '../../harness/rewrite.ts'
import { happen, type MadePayment, windowOver } from '../../http/payments.ts'
import { CONFIRMATIONS, coinHouse, collector } from './coins-house.ts'
import { type Change, type Question, through } from './node.ts'

const coins = await forFile(coinHouse())

/** An address that everybody can collect from, and one of the first looks at it. */
const collectable = async (): Promise<MadePayment> => {
  const payment = await coins.opened()
  await coins.chain.rpc('anvil_setCode', payment.address, collector(`0x${'77'.repeat(20)}`))
  await coins.chain.mine()
  await coins.read()
  await coins.look([payment])
  return payment
}
const collect = ({ address }: MadePayment) =>
  coins.chain.rpc('eth_sendTransaction', { from: coins.sender, to: address, data: '0x01', gas: '0x30000' })

const amounts = async (payment: MadePayment) =>
  (await coins.transfersOf(payment)).filter(({ state }) => state !== 'orphaned').map(({ amount }) => Number(amount))

test('coins that were sent while blocks were read for tokens alone are found with their transaction', async () => {
  const payment = await coins.made()
  const txHash = await coins.send(payment.address, 1000n)
  await coins.chain.mine(2)
  const number = await coins.head()
  await coins.read()
  await coins.pick(payment, 'pick ether')
  await coins.look([payment])
  expect(await coins.stateOf(payment)).toMatchObject({
    ...{ state: 'processing', txHash, payerAddress: coins.sender, blockNumber: number - 1 },
  })
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect([...(await coins.transfersOf(payment))]).toMatchObject([{ log_index: -1, state: 'final' }])
})

test('coins that a contract sends on are found at their block, and are final when enough stand on it', async () => {
  const payment = await coins.opened()
  await coins.read()
  await coins.look([payment])
  await coins.chain.mine(20)
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine()
  const number = await coins.head()
  await coins.chain.mine(3)
  await coins.read()
  expect((await coins.stateOf(payment))?.state).toBe('pending')
  expect(await coins.look([payment])).toBe(1)
  expect(await coins.stateOf(payment)).toMatchObject({
    ...{ state: 'processing', txHash: null, payerAddress: null, blockNumber: number, amountFinal: 0n },
  })
  expect([...(await coins.transfersOf(payment))]).toMatchObject([
    { log_index: -2, from_address: null, block_number: String(number), amount: '1000', state: 'seen' },
  ])
  await coins.chain.mine(CONFIRMATIONS - 3)
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('in one block a transaction and a contract pay, and each is counted once', async () => {
  const payment = await coins.opened()
  await coins.send(payment.address, 300n)
  await coins.sendThrough(payment.address, 700n)
  await coins.chain.mine()
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 300n })
  await coins.look([payment])
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  await coins.look([payment])
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountReceived: 1000n })
  expect(await amounts(payment)).toEqual([700, 300])
})

test('several from contracts are each found at its block', async () => {
  const payment = await coins.opened()
  await coins.read()
  await coins.look([payment])
  const numbers: string[] = []
  for (const wei of [1n, 500n, 499n]) {
    await coins.sendThrough(payment.address, wei)
    await coins.chain.mine()
    numbers.push(String(await coins.head()))
    await coins.chain.mine(7)
  }
  await coins.read()
  await coins.look([payment])
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  expect((await coins.transfersOf(payment)).map(({ block_number }) => block_number)).toEqual(numbers)
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('what was collected is not counted again, nor made of nothing, and what comes then is found', async () => {
  const payment = await collectable()
  await coins.sendThrough(payment.address, 600n)
  await coins.chain.mine()
  await coins.read()
  await coins.look([payment])
  await collect(payment)
  await coins.chain.mine(2)
  await coins.read()
  await coins.look([payment])
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 600n })
  await coins.sendThrough(payment.address, 400n)
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  await coins.look([payment])
  await coins.read()
  expect(await amounts(payment)).toEqual([600, 400])
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('between two looks coins come, are collected, and more come: nothing is lost while there are states', async () => {
  const payment = await collectable()
  await coins.sendThrough(payment.address, 100n)
  await coins.chain.mine(3)
  await collect(payment)
  await coins.chain.mine(3)
  await coins.send(payment.address, 50n)
  await coins.sendThrough(payment.address, 70n)
  await coins.chain.mine(2)
  await coins.read()
  await coins.look([payment])
  expect(await amounts(payment)).toEqual([100, 70, 50])
  await collect(payment)
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  const before = await amounts(payment)
  await coins.look([payment])
  await coins.look([payment])
  expect(await amounts(payment)).toEqual(before)
})

test('those who look at once count a rise once', async () => {
  const many = await Promise.all(Array.from({ length: 5 }, () => coins.opened()))
  for (const payment of many) await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine(2)
  await coins.read()
  await Promise.all([coins.look(many), coins.look(many), coins.look(many)])
  for (const payment of many) expect(await amounts(payment)).toEqual([1000])
})

test('a reorganisation takes what a contract has sent, and finds it where it is mined again', async () => {
  const [lost, moved] = [await coins.opened(), await coins.opened()]
  await coins.sendThrough(lost.address, 1000n)
  await coins.sendThrough(moved.address, 1000n)
  await coins.chain.mine(3)
  await coins.read()
  await coins.look([lost, moved])
  expect((await coins.stateOf(lost))?.state).toBe('processing')
  await coins.chain.reorganize(3, [[coins.through(moved.address, 1000n), 2]])
  await coins.read()
  expect(await coins.stateOf(lost)).toMatchObject({ state: 'pending', amountReceived: 0n, blockNumber: null })
  await coins.chain.mine()
  await coins.read()
  await coins.look([lost, moved])
  expect(await amounts(lost)).toEqual([])
  expect(await coins.stateOf(moved)).toMatchObject({ state: 'processing', blockNumber: (await coins.head()) - 1 })
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  expect(await coins.stateOf(moved)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

/** Something happens between the answer to such a question and its being heard, once. */
const meanwhile = (isIt: (question: Question) => boolean, happens: () => Promise<unknown>): Change => {
  let happening: Promise<unknown> | undefined
  return async (question, answer) => {
    happening ??= isIt(question) ? happens() : undefined
    await happening
    return answer
  }
}

for (const [what, blocks] of [
  ['is reorganised away', 1],
  ['is reorganised away, and others have become final in its place,', CONFIRMATIONS],
] as const)
  test(`a look does not count when what it found ${what} while it asks`, async () => {
    const payment = await coins.opened()
    await coins.sendThrough(payment.address, 1000n)
    await coins.chain.mine(2)
    await coins.read()
    // With all its transactions a block is asked for last.
    const isLast = ({ params: [, isFull] }: Question) => isFull === true
    const reorganizes = meanwhile(isLast, async () => {
      await coins.chain.reorganize(2)
      await coins.chain.mine(blocks)
      await coins.read()
    })
    await coins.withNode(reorganizes, async source => expect(await coins.look([payment], source)).toBe(0))
    expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
  })

test('where states are gone, coins count at the lowest block that has one', async () => {
  const payment = await coins.opened()
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine(260)
  await coins.read()
  await coins.read()
  await coins.look([payment])
  const [found] = await coins.transfersOf(payment)
  const depth = (await coins.head()) - Number(found?.block_number)
  expect([depth > 150, depth < 260, found?.amount, found?.state]).toEqual([true, true, '1000', 'final'])
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('what was found is final also where states are gone by then', async () => {
  const payment = await coins.opened()
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine(2)
  await coins.read()
  await coins.look([payment])
  await coins.chain.mine(260)
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('a window does not end before its last look, and that finds what came in time', async () => {
  const [paid, unpaid, inTokens] = [await coins.opened(), await coins.opened(), await coins.opened('pick')]
  await coins.read()
  await coins.look([paid, unpaid])
  await coins.sendThrough(paid.address, 1000n)
  await coins.chain.mine()
  const { timestamp } = await coins.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  const end = new Date(Number(timestamp) * 1_000)
  const ids = [paid, unpaid, inTokens].map(({ actor }) => actor)
  await rewrite(coins.sql, 'payments', ids, { expires_at: end })
  await coins.chain.rpc('evm_increaseTime', 60)
  await coins.chain.mine()
  await coins.read()
  const states = () => Promise.all([paid, unpaid, inTokens].map(async each => (await coins.stateOf(each))?.state))
  await coins.endWindows()
  expect(await states()).toEqual(['pending', 'pending', 'expired'])
  // It is their turn, though they have been looked at a moment ago.
  expect(await coins.looker().lookOn()).toBe('looked')
  await coins.settle()
  await coins.endWindows()
  expect(await states()).toEqual(['processing', 'expired', 'expired'])
})

test('what one of two nodes does not tell that an address holds ends no window', async () => {
  const payment = await coins.opened()
  await coins.read()
  await coins.look([payment])
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine()
  const { timestamp } = await coins.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  await rewrite(coins.sql, 'payments', [payment.actor], { expires_at: new Date(Number(timestamp) * 1_000) })
  await coins.chain.rpc('evm_increaseTime', 60)
  await coins.chain.mine()
  const poorer = ({ method }: Question, answer: unknown) => {
    if (method === 'eth_getBalance') return '0x0'
    return method === 'eth_call' ? String(answer).replace(/[1-9a-f](?=[0-9a-f]*$)/g, '0') : answer
  }
  {
    // The one that lies is asked first.
    await using liar = await through(coins.chain.url, poorer)
    const source = coins.sourceOf(liar.url, coins.chain.url)
    await coins.read(source)
    await expect(coins.looker(source).lookOn()).rejects.toBeInstanceOf(Doubted)
    await coins.settle()
    await coins.endWindows()
    expect((await coins.stateOf(payment))?.state).toBe('pending')
  }
  expect(await coins.looker().lookOn()).toBe('looked')
  await coins.settle()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'processing', amountReceived: 1000n, exception: null })
})

test('payments that are not due are found on a walk through all of the last days', async () => {
  const [expired, inTokens] = [await coins.opened(), await coins.opened('pick')]
  await happen(coins.api, expired.actor, windowOver())
  for (const payment of [expired, inTokens]) await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  await coins.read()
  const looker = coins.looker()
  for (let pages = 0; pages < 20 && (await looker.lookOn()) === 'looked'; pages++);
  await coins.settle()
  expect(await coins.stateOf(expired)).toMatchObject({ state: 'expired', exception: 'late', amountFinal: 1000n })
  expect(await coins.stateOf(inTokens)).toMatchObject({ exception: 'wrong_asset', finalStrays: 1 })
})

test('coins at an address that was given out weeks ago are found, page by page', async () => {
  const payment = await coins.opened()
  await happen(coins.api, payment.actor, windowOver())
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  await coins.read()
  const weeksLater = new Date(Date.now() + 20 * 86_400_000)
  const looker = coins.looker(coins.source, () => weeksLater)
  // It goes on only after a pause, however much is left.
  expect(await looker.lookOn()).toBe('idle')
  await coins.settle()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'expired', exception: 'late', amountFinal: 1000n })
})

test('whoever waits for a payment has it looked at now', async () => {
  const payment = await coins.opened()
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine()
  await coins.read()
  await lookNow(coins.api, 31337, coins.source.coins, payment.actor)
  await coins.settle()
  expect((await coins.stateOf(payment))?.state).toBe('processing')
})

/** Says that whoever holds nothing holds 1,000. */
const richer = ({ method }: Question, answer: unknown) => {
  if (method === 'eth_getBalance') return answer === '0x0' ? '0x3e8' : answer
  if (method !== 'eth_call') return answer
  return String(answer).replace(/0{64}/g, '3e8'.padStart(64, '0'))
}

test('what only one of two nodes says that an address holds is not written down', async () => {
  const payment = await coins.opened()
  await coins.chain.mine()
  await coins.read()
  // Both are asked sooner or later, and the one that lies may be asked first.
  for (let looks = 0; looks < 4; looks++) {
    const looking = coins.withNode(richer, source => coins.look([payment], source), [coins.chain.url])
    await looking.catch(error => expect(error).toBeInstanceOf(Doubted))
    await coins.chain.mine()
    await coins.read()
  }
  expect(await coins.transfersOf(payment)).toHaveLength(0)
  await coins.look([payment])
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})

test('what one of three nodes says that an address holds is not written down where the others agree on less', async () => {
  // The one that lies is the quickest, and asked first.
  await using second = await faultyNode(coins.chain.url)
  await using third = await faultyNode(coins.chain.url)
  for (const node of [second, third]) node.break('slow', { ms: 100 })
  const payment = await coins.opened()
  await coins.chain.mine()
  await coins.read()
  const looking = coins.withNode(richer, source => coins.look([payment], source), [second.url, third.url])
  await expect(looking).rejects.toBeInstanceOf(Doubted)
  expect(await coins.transfersOf(payment)).toHaveLength(0)
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})

test('what a node has made up where it was alone is gone when two do not find it', async () => {
  const payment = await coins.opened()
  await coins.chain.mine()
  await coins.read()
  const { hash } = await coins.chain.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const lying = (question: Question, answer: unknown) =>
    JSON.stringify(question.params[1])?.includes(hash) ? richer(question, answer) : answer
  await coins.withNode(lying, source => coins.look([payment], source))
  expect((await coins.stateOf(payment))?.state).toBe('processing')
  await coins.chain.mine(CONFIRMATIONS)
  await coins.withNode(lying, coins.read, [coins.chain.url])
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  await coins.look([payment])
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('a fall that only one node tells of makes no money when the other is asked again', async () => {
  const payment = await coins.opened()
  await coins.send(payment.address, 400n)
  await coins.chain.mine()
  await coins.read()
  const poorer = ({ method }: Question, answer: unknown) => {
    if (method === 'eth_getBalance') return '0x0'
    return method === 'eth_call' ? `0x${'0'.repeat(String(answer).length - 2)}` : answer
  }
  for (let looks = 0; looks < 4; looks++) {
    const looking = coins.withNode(poorer, source => coins.look([payment], source), [coins.chain.url])
    await looking.catch(error => expect(error).toBeInstanceOf(Doubted))
    await coins.chain.mine()
    await coins.read()
    await coins.look([payment])
  }
  expect(await amounts(payment)).toEqual([400])
})

test('what 1,000 addresses hold is what each holds when asked alone', async () => {
  const addresses = Array.from({ length: 1000 }, (_, at) => `0x${(at + 0xabc000).toString(16).padStart(40, '0')}`)
  for (const at of [0, 1, 766, 767, 768, 999])
    await coins.chain.rpc('anvil_setBalance', addresses[at], `0x${(at + 1).toString(16)}`)
  await coins.chain.mine()
  const number = await coins.head()
  const { hash } = await coins.chain.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const { held } = await coins.source.coins.balances(addresses, { number, hash }, 'one')
  const found = held.map(([told]) => told?.balance ?? -1n)
  const alone = await Promise.all(addresses.map(each => coins.source.coins.balancesAt(each, [{ number, hash }])))
  expect(found).toEqual(alone.map(([balance]) => balance ?? -1n))
  expect(found.filter(balance => balance > 0n)).toEqual([1n, 2n, 767n, 768n, 769n, 1000n])
})
