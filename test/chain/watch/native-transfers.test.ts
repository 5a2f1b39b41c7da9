import { expect, test } from 'bun:test'
import { forFile } from '../../harness/for-file.ts'
import { CONFIRMATIONS, openNativeFixture } from './native-fixture.ts'
import { changedNode, refusal } from './test-node.ts'

const fixture = await forFile(openNativeFixture())

const isFull = ({ method, params: [, full] }: { method: string; params: readonly unknown[] }) =>
  method === 'eth_getBlockByNumber' && full === true
const isReceipt = ({ method }: { method: string }) => method === 'eth_getTransactionReceipt'

test('full blocks are not read while no payment in native currency is open', async () => {
  await fixture.openPayment('pick')
  await fixture.chain.mine(CONFIRMATIONS)
  let [full, other] = [0, 0]
  const counting = async () =>
    fixture.withNode((call, answer) => {
      if (isFull(call) || isReceipt(call)) full++
      else other++
      return answer
    }, fixture.read)
  await counting()
  expect([full, other > 0]).toEqual([0, true])
  await fixture.openPayment()
  await fixture.chain.mine(3)
  await counting()
  expect(full).toBe(3)
})

test('a native transfer is seen in its block and becomes final with enough confirmations', async () => {
  const payment = await fixture.openPayment()
  const txHash = await fixture.send(payment.address, 1000n)
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({
    ...{
      state: 'processing',
      txHash,
      blockNumber: await fixture.head(),
      payerAddress: fixture.sender,
      amountFinal: 0n,
    },
  })
  expect([...(await fixture.transfersOf(payment))]).toMatchObject([
    { tx_hash: txHash, log_index: -1, from_address: fixture.sender, amount: '1000', state: 'seen' },
  ])
  await fixture.chain.mine(CONFIRMATIONS - 1)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n, receivedMinor: 1000 })
})

test('native currency after its price has expired is late and needs attention at the end of the window', async () => {
  const payment = await fixture.pickAsset(await fixture.createPayment(), 'pick ether', -60_000)
  await fixture.send(payment.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS - 1)
  await fixture.read()
  const { expiresAt, ...before } = (await fixture.stateOf(payment)) ?? {}
  expect(before).toMatchObject({ state: 'pending', amountReceived: 0n, exception: null })
  expect(expiresAt?.getTime()).toBeGreaterThan(Date.now())
  await fixture.chain.mine()
  await fixture.read()
  const after = await fixture.stateOf(payment)
  expect(after?.expiresAt).toEqual(after?.quoteExpiresAt ?? undefined)
  await fixture.check([payment])
  expect(await fixture.endWindows()).toBe(1)
  await fixture.settle()
  expect(await fixture.stateOf(payment)).toMatchObject({
    ...{ state: 'expired', amountFinal: 1000n, exception: 'late', attention: true },
  })
})

test('dust is too little, and several transfers in one block add up', async () => {
  const payment = await fixture.openPayment()
  await fixture.send(payment.address, 1n)
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', exception: 'underpaid', amountReceived: 1n })
  for (const wei of [400n, 599n, 0n]) await fixture.send(payment.address, wei)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountReceived: 1000n, exception: null })
  expect(await fixture.transfersOf(payment)).toHaveLength(3)
})

test('native currency for a payment in tokens is the wrong asset', async () => {
  const [payment] = [await fixture.openPayment('pick'), await fixture.openPayment()]
  await fixture.send(payment.address, 1000n)
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', exception: 'wrong_asset', attention: true })
})

test('a reverted transaction counts for nothing', async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.rpc('anvil_setCode', payment.address, '0x5f5ffd')
  await fixture.chain.mine()
  const gas = { ...fixture.payment(payment.address, 1000n), gas: '0x10000' }
  await fixture.chain.rpc('eth_sendTransaction', gas)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
  expect(await fixture.transfersOf(payment)).toHaveLength(0)
})

for (const depth of [1, CONFIRMATIONS - 1])
  test(`a reorg of depth ${depth} removes one native transfer and moves another`, async () => {
    const [lost, moved] = [await fixture.openPayment(), await fixture.openPayment()]
    await fixture.send(lost.address, 1000n)
    await fixture.send(moved.address, 1000n)
    await fixture.chain.mine(depth)
    await fixture.read()
    expect((await fixture.stateOf(lost))?.state).toBe('processing')

    await fixture.chain.reorganize(depth, [[fixture.payment(moved.address, 1000n), depth - 1]])
    await fixture.read()
    expect(await fixture.stateOf(lost)).toMatchObject({ state: 'pending', amountReceived: 0n, txHash: null })
    expect(await fixture.stateOf(moved)).toMatchObject({ state: 'processing', blockNumber: await fixture.head() })

    const again = await fixture.send(lost.address, 1000n)
    await fixture.chain.mine(CONFIRMATIONS)
    await fixture.read()
    expect(await fixture.stateOf(lost)).toMatchObject({ state: 'success', txHash: again, amountReceived: 1000n })
    expect(await fixture.stateOf(moved)).toMatchObject({ state: 'success', amountReceived: 1000n })
  })

test('a transaction mined again by a reorg and reverted there counts for nothing', async () => {
  const payment = await fixture.openPayment()
  const flag = `0x${'f1a9'.repeat(10)}`
  // Reverts as soon as the flag address has a balance.
  await fixture.chain.rpc('anvil_setCode', payment.address, `0x73${flag.slice(2)}3115601d575f5ffd5b00`)
  await fixture.chain.mine()
  const txHash = await fixture.chain.rpc<string>('eth_sendTransaction', {
    ...{ ...fixture.payment(payment.address, 1000n), gas: '0x10000' },
  })
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', txHash })

  const raw = await fixture.chain.rpc<string>('eth_getRawTransactionByHash', txHash)
  const [, other = ''] = await fixture.chain.rpc<string[]>('eth_accounts')
  await fixture.chain.reorganize(1, [
    [{ ...fixture.payment(flag, 1n), from: other }, 0],
    [raw, 0],
  ])
  const { status } = await fixture.chain.rpc<{ status: string }>('eth_getTransactionReceipt', txHash)
  expect(status).toBe('0x0')
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n, txHash: null })
  expect((await fixture.transfersOf(payment)).map(({ state }) => state)).toEqual(['orphaned'])
})

test('a block without receipts is not skipped', async () => {
  const payment = await fixture.openPayment()
  await fixture.send(payment.address, 1000n)
  await fixture.chain.mine()
  await fixture.withNode((call, answer) => (isReceipt(call) ? null : answer), fixture.read)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
  await fixture.read()
  expect((await fixture.stateOf(payment))?.state).toBe('processing')
})

for (const [what, isMissing] of [
  ['receipts', isReceipt],
  ['blocks with their transactions', isFull],
] as const)
  test(`reading continues when one of three nodes has no ${what}`, async () => {
    const payment = await fixture.openPayment()
    await fixture.send(payment.address, 1000n)
    await fixture.chain.mine()
    await using other = await changedNode(fixture.chain.url, (_, answer) => answer)
    await using lacking = await changedNode(fixture.chain.url, (call, answer) => (isMissing(call) ? null : answer))
    const source = fixture.sourceOf(lacking.url, fixture.chain.url, other.url)
    await fixture.read(source)
    expect((await fixture.stateOf(payment))?.state).toBe('processing')
    await fixture.chain.mine(CONFIRMATIONS)
    await fixture.read(source)
    expect((await fixture.stateOf(payment))?.state).toBe('success')
  })

test('blocks that a node refuses in one request are read in smaller ones', async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.mine(9)
  await fixture.send(payment.address, 1000n)
  await fixture.chain.mine()
  let refused = 0
  await fixture.withNode((call, answer) => {
    const isRefused = isFull(call) && refused < 3
    if (isRefused) refused++
    return isRefused ? refusal : answer
  }, fixture.read)
  expect([(await fixture.stateOf(payment))?.state, refused]).toEqual(['processing', 3])
})

type FullBlock = { hash: string; transactions: { to: string; value: string }[] }

test('a native transfer that only one of two nodes reports never makes a success', async () => {
  const payment = await fixture.openPayment()
  const wrongAnswers = (call: { method: string; params: readonly unknown[] }, answer: unknown) => {
    if (!isFull(call)) return answer
    const block = answer as FullBlock
    return { ...block, transactions: block.transactions.map(each => ({ ...each, to: payment.address.toLowerCase() })) }
  }
  await fixture.send(`0x${'12'.repeat(20)}`, 1000n)
  await fixture.chain.mine()
  await fixture.withNode(wrongAnswers, fixture.read)
  expect((await fixture.stateOf(payment))?.state).toBe('processing')
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.withNode(wrongAnswers, fixture.read, [fixture.chain.url])
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})
