import { expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { encodeFunctionData, keccak256, stringToHex } from 'viem/utils'
import { deploymentProxy, factory, factoryAbi, factoryDeployment, forwarderOf } from '../../../src/chain/forwarder.ts'
import { beginBooksAnew, findCursor } from '../../../src/chain/watch/books.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { TRANSFER, topicOf } from '../../../src/chain/watch/transfer-of.ts'
import { zeroAddress } from '../../../src/chain/zero.ts'
import { forFile } from '../../harness/for-file.ts'
import type { MadePayment } from '../../http/payments.ts'
import { CONFIRMATIONS, coinHouse } from './coins-house.ts'
import { type Change, logsAs, no } from './node.ts'

const coins = await forFile(coinHouse())

const treasury: Hex = `0x${'7e'.repeat(20)}`
const send = (to: string, data: string) =>
  coins.chain.rpc<string>('eth_sendTransaction', { from: coins.sender, to, data, gas: '0x400000' })

await send(deploymentProxy, factoryDeployment)
await coins.chain.mine()

type Collectable = MadePayment & { readonly salt: Hex }

/** A payment whose address collects for a treasury, as those of the service do. */
const opened = async (asset: 'pick' | 'pick ether' = 'pick ether'): Promise<Collectable> => {
  const payment = await coins.made()
  const salt = keccak256(stringToHex(payment.actor))
  const collectable = { ...payment, salt, address: forwarderOf(treasury)(salt) }
  await coins.pick(collectable, asset)
  await coins.chain.mine()
  await coins.read()
  await coins.look([collectable])
  return collectable
}

/** By the merchant, past the service. */
const collect = ({ salt }: Collectable, token: string = zeroAddress) =>
  send(
    factory,
    encodeFunctionData({ abi: factoryAbi, functionName: 'collect', args: [treasury, [salt], [token as Hex]] }),
  )

const held = async (address: string) => BigInt(await coins.chain.rpc<string>('eth_getBalance', address, 'latest'))

test('coins from a contract that were collected before the next look are found, and pay', async () => {
  const payment = await opened()
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine()
  const paidIn = await coins.head()
  await coins.chain.mine(2)
  const before = await held(treasury)
  await collect(payment)
  await coins.chain.mine()
  expect([await held(payment.address), (await held(treasury)) - before]).toEqual([0n, 1000n])
  await coins.read()
  await coins.look([payment])
  expect(await coins.stateOf(payment)).toMatchObject({
    state: 'processing',
    amountReceived: 1000n,
    blockNumber: paidIn,
  })
  // Looked at again, nothing has changed.
  await coins.chain.mine()
  await coins.read()
  await coins.look([payment])
  expect(await coins.transfersOf(payment)).toHaveLength(1)
  await coins.rest()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n, attention: false })
})

test('an address from which nothing but what is known was collected is nothing for a person', async () => {
  const payment = await opened('pick')
  await coins.chain.pay(payment.address, 400n)
  await coins.chain.mine()
  await coins.read()
  await collect(payment, coins.chain.token)
  await coins.chain.mine()
  await coins.read()
  await coins.look([payment], coins.source, false)
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 400n, attention: false })
})

const endWindow = async (payment: MadePayment) => {
  await coins.chain.rpc('evm_increaseTime', 3_600)
  await coins.chain.mine()
  await coins.read()
  await coins.look([payment])
  await coins.endWindows()
}

test('a payment whose coins came and were collected in one block waits for a person, once', async () => {
  const payment = await opened()
  await coins.sendThrough(payment.address, 1000n)
  await collect(payment)
  await coins.chain.mine()
  await coins.read()
  await coins.look([payment])
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n, attention: true })
  await endWindow(payment)
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'expired', attention: true })
  await coins.api.actors.dispatch({ kind: 'payment', actor: payment.actor, event: { type: 'dismiss' } })
  await coins.chain.mine()
  await coins.read()
  await coins.look([payment])
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'expired', attention: false })
})

test('a payment whose coins were collected waits for a person where no node has the states any more', async () => {
  const payment = await opened()
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine(2)
  await collect(payment)
  await coins.chain.mine(20)
  await coins.read()
  const { hash } = await coins.chain.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const forgetful: Change = ({ method, params }, answer) =>
    (method === 'eth_getBalance' || method === 'eth_getCode') && !JSON.stringify(params).includes(hash) ? no : answer
  await coins.withNode(forgetful, async source => {
    await coins.look([payment], source)
  })
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n, attention: true })
})

/** The blocks that show collections which nothing explains. */
const unexplainedIn = async ({ actor }: MadePayment) => {
  const rows = await coins.sql<{ block_number: string }[]>`
    select block_number from unexplained_collections where payment_id = ${actor}`
  return rows.map(row => Number(row.block_number))
}

test('an unexplained collection is forgotten when a reorganisation removes its block, and noted again when it comes back', async () => {
  const payment = await opened()
  const collectOnce = async () => {
    await coins.sendThrough(payment.address, 1000n)
    await collect(payment)
    await coins.chain.mine()
    await coins.read()
    await coins.look([payment])
  }
  await collectOnce()
  expect(await coins.stateOf(payment)).toMatchObject({ attention: true, collectionUnexplained: true })
  await coins.chain.reorganize(1)
  await coins.chain.mine()
  await coins.read()
  expect(await unexplainedIn(payment)).toEqual([])
  expect(await coins.stateOf(payment)).toMatchObject({ attention: false, collectionUnexplained: false })
  await coins.look([payment])
  expect(await coins.stateOf(payment)).toMatchObject({ attention: false, collectionUnexplained: false })
  await collectOnce()
  await coins.rest()
  expect(await unexplainedIn(payment)).toHaveLength(1)
  expect(await coins.stateOf(payment)).toMatchObject({ attention: true, collectionUnexplained: true })
})

test('a reorganisation above the block of an unexplained collection changes nothing about it', async () => {
  const payment = await opened()
  await coins.sendThrough(payment.address, 1000n)
  await collect(payment)
  await coins.chain.mine()
  await coins.read()
  await coins.look([payment])
  await coins.chain.mine()
  await coins.read()
  await coins.look([payment])
  await coins.chain.reorganize(1)
  await coins.chain.mine()
  await coins.read()
  expect(await unexplainedIn(payment)).toHaveLength(1)
  expect(await coins.stateOf(payment)).toMatchObject({ attention: true, collectionUnexplained: true })
})

test('the books of a chain that begin anew have no unexplained collections of the old one', async () => {
  const payment = await opened()
  await coins.sendThrough(payment.address, 1000n)
  await collect(payment)
  await coins.chain.mine()
  await coins.read()
  await coins.look([payment])
  const books = await findCursor(coins.sql, coins.watched.id)
  if (!books) throw new Error('no books')
  const block = { number: books.number, hash: books.hash, minedAt: new Date() }
  await beginBooksAnew(coins.sql, coins.watched.id, books, { block, epoch: null })
  await coins.settle()
  expect(await unexplainedIn(payment)).toEqual([])
  expect(await coins.stateOf(payment)).toMatchObject({ attention: false, collectionUnexplained: false })
})

test('a transfer in a later block does not explain a collection', async () => {
  const payment = await opened()
  await coins.sendThrough(payment.address, 1000n)
  await collect(payment)
  await coins.chain.mine()
  const collectedIn = await coins.head()
  await coins.chain.pay(payment.address, 5n)
  await coins.chain.mine()
  await coins.read()
  const behind = { ...coins.source, coins: { ...coins.source.coins, reached: async () => collectedIn } }
  await coins.look([payment], behind)
  expect(await coins.stateOf(payment)).toMatchObject({ attention: true, collectionUnexplained: true })
})

test('a transfer that is not found again when it becomes final explains no collection', async () => {
  const payment = await opened()
  await coins.sendThrough(payment.address, 1000n)
  await collect(payment)
  const head = await coins.head()
  await coins.chain.mine()
  const { hash } = await coins.chain.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const invented = {
    ...{ address: coins.chain.token, data: `0x${'5'.padStart(64, '0')}`, logIndex: '0x9', transactionIndex: '0x9' },
    ...{ blockNumber: `0x${(head + 1).toString(16)}`, blockHash: hash, transactionHash: `0x${'ab'.repeat(32)}` },
    topics: [TRANSFER, topicOf(coins.sender), topicOf(payment.address)],
    removed: false,
  }
  await coins.withNode(
    logsAs(logs => [...logs, invented]),
    async source => {
      while ((await readNext(coins.sql, coins.watched, source)) !== 'idle');
    },
  )
  await coins.look([payment])
  expect(await coins.stateOf(payment)).toMatchObject({ collectionUnexplained: false })
  expect(await coins.sql`select from transfers where payment_id = ${payment.actor} and state = 'seen'`).toHaveLength(1)
  await coins.chain.mine(CONFIRMATIONS)
  await coins.read()
  await coins.look([payment])
  expect(await coins.stateOf(payment)).toMatchObject({ attention: true, collectionUnexplained: true })
})
