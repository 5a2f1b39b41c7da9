import { expect, test } from 'bun:test'
import { BalancesDisagree } from '../../../src/chain/watch/native/check-balances.ts'
import { checkPaymentNow } from '../../../src/chain/watch/native/watch-balances.ts'
import { faultyNode } from '../../harness/faulty-node.ts'
import { forFile } from '../../harness/for-file.ts'
import { rewrite } from '../../harness/rewrite.ts'
import { happen, type MadePayment, windowOver } from '../../http/payments.ts'
import { CONFIRMATIONS, collector, openNativeFixture } from './native-fixture.ts'
import { type AnswerChange, changedNode, type NodeCall } from './test-node.ts'

const fixture = await forFile(openNativeFixture())

/** A payment whose address any account can collect from, checked once. */
const collectable = async (): Promise<MadePayment> => {
  const payment = await fixture.openPayment()
  await fixture.chain.rpc('anvil_setCode', payment.address, collector(`0x${'77'.repeat(20)}`))
  await fixture.chain.mine()
  await fixture.read()
  await fixture.check([payment])
  return payment
}
const collect = ({ address }: MadePayment) =>
  fixture.chain.rpc('eth_sendTransaction', { from: fixture.sender, to: address, data: '0x01', gas: '0x30000' })

const amounts = async (payment: MadePayment) =>
  (await fixture.transfersOf(payment)).filter(({ state }) => state !== 'orphaned').map(({ amount }) => Number(amount))

test('native currency sent while only tokens were read is found with its transaction', async () => {
  const payment = await fixture.createPayment()
  const txHash = await fixture.send(payment.address, 1000n)
  await fixture.chain.mine(2)
  const number = await fixture.head()
  await fixture.read()
  await fixture.pickAsset(payment, 'pick ether')
  await fixture.check([payment])
  expect(await fixture.stateOf(payment)).toMatchObject({
    ...{ state: 'processing', txHash, payerAddress: fixture.sender, blockNumber: number - 1 },
  })
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect([...(await fixture.transfersOf(payment))]).toMatchObject([{ log_index: -1, state: 'final' }])
})

test('an internal transfer is found in its block and becomes final with enough confirmations', async () => {
  const payment = await fixture.openPayment()
  await fixture.read()
  await fixture.check([payment])
  await fixture.chain.mine(20)
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine()
  const number = await fixture.head()
  await fixture.chain.mine(3)
  await fixture.read()
  expect((await fixture.stateOf(payment))?.state).toBe('pending')
  expect(await fixture.check([payment])).toBe(1)
  expect(await fixture.stateOf(payment)).toMatchObject({
    ...{ state: 'processing', txHash: null, payerAddress: null, blockNumber: number, amountFinal: 0n },
  })
  expect([...(await fixture.transfersOf(payment))]).toMatchObject([
    { log_index: -2, from_address: null, block_number: String(number), amount: '1000', state: 'seen' },
  ])
  await fixture.chain.mine(CONFIRMATIONS - 3)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('a transaction and an internal transfer in one block are each counted once', async () => {
  const payment = await fixture.openPayment()
  await fixture.send(payment.address, 300n)
  await fixture.sendInternally(payment.address, 700n)
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 300n })
  await fixture.check([payment])
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  await fixture.check([payment])
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountReceived: 1000n })
  expect(await amounts(payment)).toEqual([700, 300])
})

test('several internal transfers are each found in their block', async () => {
  const payment = await fixture.openPayment()
  await fixture.read()
  await fixture.check([payment])
  const numbers: string[] = []
  for (const wei of [1n, 500n, 499n]) {
    await fixture.sendInternally(payment.address, wei)
    await fixture.chain.mine()
    numbers.push(String(await fixture.head()))
    await fixture.chain.mine(7)
  }
  await fixture.read()
  await fixture.check([payment])
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect((await fixture.transfersOf(payment)).map(({ block_number }) => block_number)).toEqual(numbers)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('a collection counts as no transfer, and money after it is found', async () => {
  const payment = await collectable()
  await fixture.sendInternally(payment.address, 600n)
  await fixture.chain.mine()
  await fixture.read()
  await fixture.check([payment])
  await collect(payment)
  await fixture.chain.mine(2)
  await fixture.read()
  await fixture.check([payment])
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 600n })
  await fixture.sendInternally(payment.address, 400n)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  await fixture.check([payment])
  await fixture.read()
  expect(await amounts(payment)).toEqual([600, 400])
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('money before and after a collection between two checks is found while states exist', async () => {
  const payment = await collectable()
  await fixture.sendInternally(payment.address, 100n)
  await fixture.chain.mine(3)
  await collect(payment)
  await fixture.chain.mine(3)
  await fixture.send(payment.address, 50n)
  await fixture.sendInternally(payment.address, 70n)
  await fixture.chain.mine(2)
  await fixture.read()
  await fixture.check([payment])
  expect(await amounts(payment)).toEqual([100, 70, 50])
  await collect(payment)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  const before = await amounts(payment)
  await fixture.check([payment])
  await fixture.check([payment])
  expect(await amounts(payment)).toEqual(before)
})

test('parallel checks count a rise once', async () => {
  const many = await Promise.all(Array.from({ length: 5 }, () => fixture.openPayment()))
  for (const payment of many) await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine(2)
  await fixture.read()
  await Promise.all([fixture.check(many), fixture.check(many), fixture.check(many)])
  for (const payment of many) expect(await amounts(payment)).toEqual([1000])
})

test('a reorg removes an internal transfer, and it is found in its new block', async () => {
  const [lost, moved] = [await fixture.openPayment(), await fixture.openPayment()]
  await fixture.sendInternally(lost.address, 1000n)
  await fixture.sendInternally(moved.address, 1000n)
  await fixture.chain.mine(3)
  await fixture.read()
  await fixture.check([lost, moved])
  expect((await fixture.stateOf(lost))?.state).toBe('processing')
  await fixture.chain.reorganize(3, [[fixture.internalTransfer(moved.address, 1000n), 2]])
  await fixture.read()
  expect(await fixture.stateOf(lost)).toMatchObject({ state: 'pending', amountReceived: 0n, blockNumber: null })
  await fixture.chain.mine()
  await fixture.read()
  await fixture.check([lost, moved])
  expect(await amounts(lost)).toEqual([])
  expect(await fixture.stateOf(moved)).toMatchObject({ state: 'processing', blockNumber: (await fixture.head()) - 1 })
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await fixture.stateOf(moved)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

/** Runs something once, between the answer to such a call and its arrival. */
const meanwhile = (isIt: (call: NodeCall) => boolean, happens: () => Promise<unknown>): AnswerChange => {
  let happening: Promise<unknown> | undefined
  return async (call, answer) => {
    happening ??= isIt(call) ? happens() : undefined
    await happening
    return answer
  }
}

for (const [what, blocks] of [
  ['is removed by a reorg', 1],
  ['is removed by a reorg whose blocks become final', CONFIRMATIONS],
] as const)
  test(`a check does not count if the block it found ${what} meanwhile`, async () => {
    const payment = await fixture.openPayment()
    await fixture.sendInternally(payment.address, 1000n)
    await fixture.chain.mine(2)
    await fixture.read()
    // The full block is requested last.
    const isLast = ({ params: [, isFull] }: NodeCall) => isFull === true
    const reorganizes = meanwhile(isLast, async () => {
      await fixture.chain.reorganize(2)
      await fixture.chain.mine(blocks)
      await fixture.read()
    })
    await fixture.withNode(reorganizes, async source => expect(await fixture.check([payment], source)).toBe(0))
    expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
  })

test('where states are pruned, native currency counts in the lowest block with a state', async () => {
  const payment = await fixture.openPayment()
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine(260)
  await fixture.read()
  await fixture.read()
  await fixture.check([payment])
  const [found] = await fixture.transfersOf(payment)
  const depth = (await fixture.head()) - Number(found?.block_number)
  expect([depth > 150, depth < 260, found?.amount, found?.state]).toEqual([true, true, '1000', 'final'])
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('an internal transfer becomes final although states are pruned by then', async () => {
  const payment = await fixture.openPayment()
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine(2)
  await fixture.read()
  await fixture.check([payment])
  await fixture.chain.mine(260)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('a window ends only after a last check, which finds money that arrived in time', async () => {
  const [paid, unpaid, inTokens] = [
    await fixture.openPayment(),
    await fixture.openPayment(),
    await fixture.openPayment('pick'),
  ]
  await fixture.read()
  await fixture.check([paid, unpaid])
  await fixture.sendInternally(paid.address, 1000n)
  await fixture.chain.mine()
  const { timestamp } = await fixture.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  const end = new Date(Number(timestamp) * 1_000)
  const ids = [paid, unpaid, inTokens].map(({ actor }) => actor)
  await rewrite(fixture.sql, 'payments', ids, { expires_at: end })
  await fixture.chain.rpc('evm_increaseTime', 60)
  await fixture.chain.mine()
  await fixture.read()
  const states = () => Promise.all([paid, unpaid, inTokens].map(async each => (await fixture.stateOf(each))?.state))
  await fixture.endWindows()
  expect(await states()).toEqual(['pending', 'pending', 'expired'])
  // They are due although they were checked a moment ago.
  expect(await fixture.balanceChecker().checkNext()).toBe('checked')
  await fixture.settle()
  await fixture.endWindows()
  expect(await states()).toEqual(['processing', 'expired', 'expired'])
})

test('a window does not end while one of two nodes reports too low a balance', async () => {
  const payment = await fixture.openPayment()
  await fixture.read()
  await fixture.check([payment])
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine()
  const { timestamp } = await fixture.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  await rewrite(fixture.sql, 'payments', [payment.actor], { expires_at: new Date(Number(timestamp) * 1_000) })
  await fixture.chain.rpc('evm_increaseTime', 60)
  await fixture.chain.mine()
  const withoutBalance = ({ method }: NodeCall, answer: unknown) => {
    if (method === 'eth_getBalance') return '0x0'
    return method === 'eth_call' ? String(answer).replace(/[1-9a-f](?=[0-9a-f]*$)/g, '0') : answer
  }
  {
    // The node with the wrong balance is asked first.
    await using wrongNode = await changedNode(fixture.chain.url, withoutBalance)
    const source = fixture.sourceOf(wrongNode.url, fixture.chain.url)
    await fixture.read(source)
    await expect(fixture.balanceChecker(source).checkNext()).rejects.toBeInstanceOf(BalancesDisagree)
    await fixture.settle()
    await fixture.endWindows()
    expect((await fixture.stateOf(payment))?.state).toBe('pending')
  }
  expect(await fixture.balanceChecker().checkNext()).toBe('checked')
  await fixture.settle()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', amountReceived: 1000n, exception: null })
})

test('money for payments that are not due is found by a walk through the last days', async () => {
  const [expired, inTokens] = [await fixture.openPayment(), await fixture.openPayment('pick')]
  await happen(fixture.api, expired.actor, windowOver())
  for (const payment of [expired, inTokens]) await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  await fixture.read()
  const checker = fixture.balanceChecker()
  for (let pages = 0; pages < 20 && (await checker.checkNext()) === 'checked'; pages++);
  await fixture.settle()
  expect(await fixture.stateOf(expired)).toMatchObject({ state: 'expired', exception: 'late', amountFinal: 1000n })
  expect(await fixture.stateOf(inTokens)).toMatchObject({ exception: 'wrong_asset', finalStrays: 1 })
})

test('native currency at an address issued weeks ago is found, page by page', async () => {
  const payment = await fixture.openPayment()
  await happen(fixture.api, payment.actor, windowOver())
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  await fixture.read()
  const weeksLater = new Date(Date.now() + 20 * 86_400_000)
  const checker = fixture.balanceChecker(fixture.source, () => weeksLater)
  // It continues only after a pause, however many pages are left.
  expect(await checker.checkNext()).toBe('idle')
  await fixture.settle()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'expired', exception: 'late', amountFinal: 1000n })
})

test('a payment can be checked immediately', async () => {
  const payment = await fixture.openPayment()
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine()
  await fixture.read()
  await checkPaymentNow(fixture.api, 31337, fixture.source.native, payment.actor)
  await fixture.settle()
  expect((await fixture.stateOf(payment))?.state).toBe('processing')
})

/** Reports a balance of 1,000 for empty addresses. */
const withExtraBalance = ({ method }: NodeCall, answer: unknown) => {
  if (method === 'eth_getBalance') return answer === '0x0' ? '0x3e8' : answer
  if (method !== 'eth_call') return answer
  return String(answer).replace(/0{64}/g, '3e8'.padStart(64, '0'))
}

test('a balance that only one of two nodes reports is not recorded', async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.mine()
  await fixture.read()
  // Both nodes are asked at some point, and the wrong one may be asked first.
  for (let checks = 0; checks < 4; checks++) {
    const checking = fixture.withNode(withExtraBalance, source => fixture.check([payment], source), [fixture.chain.url])
    await checking.catch(error => expect(error).toBeInstanceOf(BalancesDisagree))
    await fixture.chain.mine()
    await fixture.read()
  }
  expect(await fixture.transfersOf(payment)).toHaveLength(0)
  await fixture.check([payment])
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})

test('a balance that one of three nodes reports is not recorded while the others agree on a lower one', async () => {
  // The wrong node is the fastest and asked first.
  await using second = await faultyNode(fixture.chain.url)
  await using third = await faultyNode(fixture.chain.url)
  for (const node of [second, third]) node.break('slow', { ms: 100 })
  const payment = await fixture.openPayment()
  await fixture.chain.mine()
  await fixture.read()
  const checking = fixture.withNode(withExtraBalance, source => fixture.check([payment], source), [
    second.url,
    third.url,
  ])
  await expect(checking).rejects.toBeInstanceOf(BalancesDisagree)
  expect(await fixture.transfersOf(payment)).toHaveLength(0)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})

test('a transfer invented by the only node is orphaned when two nodes do not find it', async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.mine()
  await fixture.read()
  const { hash } = await fixture.chain.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const wrongAnswers = (call: NodeCall, answer: unknown) =>
    JSON.stringify(call.params[1])?.includes(hash) ? withExtraBalance(call, answer) : answer
  await fixture.withNode(wrongAnswers, source => fixture.check([payment], source))
  expect((await fixture.stateOf(payment))?.state).toBe('processing')
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.withNode(wrongAnswers, fixture.read, [fixture.chain.url])
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  await fixture.check([payment])
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('a fall of the balance that only one node reports does not count as money later', async () => {
  const payment = await fixture.openPayment()
  await fixture.send(payment.address, 400n)
  await fixture.chain.mine()
  await fixture.read()
  const withoutBalance = ({ method }: NodeCall, answer: unknown) => {
    if (method === 'eth_getBalance') return '0x0'
    return method === 'eth_call' ? `0x${'0'.repeat(String(answer).length - 2)}` : answer
  }
  for (let checks = 0; checks < 4; checks++) {
    const checking = fixture.withNode(withoutBalance, source => fixture.check([payment], source), [fixture.chain.url])
    await checking.catch(error => expect(error).toBeInstanceOf(BalancesDisagree))
    await fixture.chain.mine()
    await fixture.read()
    await fixture.check([payment])
  }
  expect(await amounts(payment)).toEqual([400])
})

test('the balances of 1,000 addresses equal those read one by one', async () => {
  const addresses = Array.from({ length: 1000 }, (_, at) => `0x${(at + 0xabc000).toString(16).padStart(40, '0')}`)
  for (const at of [0, 1, 766, 767, 768, 999])
    await fixture.chain.rpc('anvil_setBalance', addresses[at], `0x${(at + 1).toString(16)}`)
  await fixture.chain.mine()
  const number = await fixture.head()
  const { hash } = await fixture.chain.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const { byAddress } = await fixture.source.native.balances(addresses, { number, hash }, 'one')
  const found = byAddress.map(([first]) => first?.balance ?? -1n)
  const alone = await Promise.all(addresses.map(each => fixture.source.native.balancesAt(each, [{ number, hash }])))
  expect(found).toEqual(alone.map(([balance]) => balance ?? -1n))
  expect(found.filter(balance => balance > 0n)).toEqual([1n, 2n, 767n, 768n, 769n, 1000n])
})
