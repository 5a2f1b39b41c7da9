import { expect, test } from 'bun:test'
import { forFile } from '../../harness/for-file.ts'
import { CONFIRMATIONS, coinHouse } from './coins-house.ts'
import { no, through } from './node.ts'

const coins = await forFile(coinHouse())

const isFull = ({ method, params: [, full] }: { method: string; params: readonly unknown[] }) =>
  method === 'eth_getBlockByNumber' && full === true
const isReceipt = ({ method }: { method: string }) => method === 'eth_getTransactionReceipt'

test('while nobody is to pay in coins no block is read in full', async () => {
  await coins.opened('pick')
  await coins.chain.mine(CONFIRMATIONS)
  let [full, other] = [0, 0]
  const counting = async () =>
    coins.withNode((question, answer) => {
      if (isFull(question) || isReceipt(question)) full++
      else other++
      return answer
    }, coins.read)
  await counting()
  expect([full, other > 0]).toEqual([0, true])
  await coins.opened()
  await coins.chain.mine(3)
  await counting()
  expect(full).toBe(3)
})

test('coins that a transaction carries are seen in its block, and final when enough stand on it', async () => {
  const payment = await coins.opened()
  const txHash = await coins.send(payment.address, 1000n)
  await coins.chain.mine()
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({
    ...{ state: 'processing', txHash, blockNumber: await coins.head(), payerAddress: coins.sender, amountFinal: 0n },
  })
  expect([...(await coins.transfersOf(payment))]).toMatchObject([
    { tx_hash: txHash, log_index: -1, from_address: coins.sender, amount: '1000', state: 'seen' },
  ])
  await coins.chain.mine(CONFIRMATIONS - 1)
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n, receivedMinor: 1000 })
})

test('coins that come when their price holds no more are late and end the window, and a person decides', async () => {
  const payment = await coins.pick(await coins.made(), 'pick ether', -60_000)
  await coins.send(payment.address, 1000n)
  await coins.chain.mine(CONFIRMATIONS - 1)
  await coins.read()
  const { expiresAt, ...before } = (await coins.stateOf(payment)) ?? {}
  expect(before).toMatchObject({ state: 'pending', amountReceived: 0n, exception: null })
  expect(expiresAt?.getTime()).toBeGreaterThan(Date.now())
  await coins.chain.mine()
  await coins.read()
  const after = await coins.stateOf(payment)
  expect(after?.expiresAt).toEqual(after?.quoteExpiresAt ?? undefined)
  await coins.look([payment])
  expect(await coins.endWindows()).toBe(1)
  await coins.settle()
  expect(await coins.stateOf(payment)).toMatchObject({
    ...{ state: 'expired', amountFinal: 1000n, exception: 'late', attention: true },
  })
})

test('dust is too little, and several transfers in one block make it enough', async () => {
  const payment = await coins.opened()
  await coins.send(payment.address, 1n)
  await coins.chain.mine()
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', exception: 'underpaid', amountReceived: 1n })
  for (const wei of [400n, 599n, 0n]) await coins.send(payment.address, wei)
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountReceived: 1000n, exception: null })
  expect(await coins.transfersOf(payment)).toHaveLength(3)
})

test('coins for a payment in tokens are the wrong asset', async () => {
  const [payment] = [await coins.opened('pick'), await coins.opened()]
  await coins.send(payment.address, 1000n)
  await coins.chain.mine()
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', exception: 'wrong_asset', attention: true })
})

test('a transaction that failed in its block brings nothing', async () => {
  const payment = await coins.opened()
  await coins.chain.rpc('anvil_setCode', payment.address, '0x5f5ffd')
  await coins.chain.mine()
  const gas = { ...coins.payment(payment.address, 1000n), gas: '0x10000' }
  await coins.chain.rpc('eth_sendTransaction', gas)
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
  expect(await coins.transfersOf(payment)).toHaveLength(0)
})

for (const depth of [1, CONFIRMATIONS - 1])
  test(`a reorganisation of depth ${depth} loses coins, moves them and brings them back`, async () => {
    const [lost, moved] = [await coins.opened(), await coins.opened()]
    await coins.send(lost.address, 1000n)
    await coins.send(moved.address, 1000n)
    await coins.chain.mine(depth)
    await coins.read()
    expect((await coins.stateOf(lost))?.state).toBe('processing')

    await coins.chain.reorganize(depth, [[coins.payment(moved.address, 1000n), depth - 1]])
    await coins.read()
    expect(await coins.stateOf(lost)).toMatchObject({ state: 'pending', amountReceived: 0n, txHash: null })
    expect(await coins.stateOf(moved)).toMatchObject({ state: 'processing', blockNumber: await coins.head() })

    const again = await coins.send(lost.address, 1000n)
    await coins.chain.mine(CONFIRMATIONS)
    await coins.read()
    expect(await coins.stateOf(lost)).toMatchObject({ state: 'success', txHash: again, amountReceived: 1000n })
    expect(await coins.stateOf(moved)).toMatchObject({ state: 'success', amountReceived: 1000n })
  })

test('a transaction that disappears and comes back failed, under the same hash, leaves nothing', async () => {
  const payment = await coins.opened()
  const flag = `0x${'f1a9'.repeat(10)}`
  // Fails as soon as somebody has sent the flag a coin.
  await coins.chain.rpc('anvil_setCode', payment.address, `0x73${flag.slice(2)}3115601d575f5ffd5b00`)
  await coins.chain.mine()
  const txHash = await coins.chain.rpc<string>('eth_sendTransaction', {
    ...{ ...coins.payment(payment.address, 1000n), gas: '0x10000' },
  })
  await coins.chain.mine()
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'processing', txHash })

  const raw = await coins.chain.rpc<string>('eth_getRawTransactionByHash', txHash)
  const [, other = ''] = await coins.chain.rpc<string[]>('eth_accounts')
  await coins.chain.reorganize(1, [
    [{ ...coins.payment(flag, 1n), from: other }, 0],
    [raw, 0],
  ])
  const { status } = await coins.chain.rpc<{ status: string }>('eth_getTransactionReceipt', txHash)
  expect(status).toBe('0x0')
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n, txHash: null })
  expect((await coins.transfersOf(payment)).map(({ state }) => state)).toEqual(['orphaned'])
})

test('a block whose receipts are not to be had is not passed over', async () => {
  const payment = await coins.opened()
  await coins.send(payment.address, 1000n)
  await coins.chain.mine()
  await coins.withNode((question, answer) => (isReceipt(question) ? null : answer), coins.read)
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
  await coins.read()
  expect((await coins.stateOf(payment))?.state).toBe('processing')
})

for (const [what, isMissing] of [
  ['receipts', isReceipt],
  ['blocks with their transactions', isFull],
] as const)
  test(`one of three nodes that has no ${what} stops no reading`, async () => {
    const payment = await coins.opened()
    await coins.send(payment.address, 1000n)
    await coins.chain.mine()
    await using other = await through(coins.chain.url, (_, answer) => answer)
    await using lacking = await through(coins.chain.url, (question, answer) => (isMissing(question) ? null : answer))
    const source = coins.sourceOf(lacking.url, coins.chain.url, other.url)
    await coins.read(source)
    expect((await coins.stateOf(payment))?.state).toBe('processing')
    await coins.chain.mine(CONFIRMATIONS)
    await coins.read(source)
    expect((await coins.stateOf(payment))?.state).toBe('success')
  })

test('many blocks that a node refuses at once are read a few at a time', async () => {
  const payment = await coins.opened()
  await coins.chain.mine(9)
  await coins.send(payment.address, 1000n)
  await coins.chain.mine()
  let refused = 0
  await coins.withNode((question, answer) => {
    const isRefused = isFull(question) && refused < 3
    if (isRefused) refused++
    return isRefused ? no : answer
  }, coins.read)
  expect([(await coins.stateOf(payment))?.state, refused]).toEqual(['processing', 3])
})

type Told = { hash: string; transactions: { to: string; value: string }[] }

test('coins that only one of two nodes tells of never make a success', async () => {
  const payment = await coins.opened()
  const lying = (question: { method: string; params: readonly unknown[] }, answer: unknown) => {
    if (!isFull(question)) return answer
    const block = answer as Told
    return { ...block, transactions: block.transactions.map(each => ({ ...each, to: payment.address.toLowerCase() })) }
  }
  await coins.send(`0x${'12'.repeat(20)}`, 1000n)
  await coins.chain.mine()
  await coins.withNode(lying, coins.read)
  expect((await coins.stateOf(payment))?.state).toBe('processing')
  await coins.chain.mine(CONFIRMATIONS)
  await coins.withNode(lying, coins.read, [coins.chain.url])
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})
