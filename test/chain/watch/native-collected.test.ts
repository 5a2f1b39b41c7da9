import { expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { encodeFunctionData, keccak256, stringToHex } from 'viem/utils'
import { deploymentProxy, factory, factoryAbi, factoryDeployment, forwarderOf } from '../../../src/chain/forwarder.ts'
import { findCursor, restartChainState } from '../../../src/chain/watch/chain-state.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { TRANSFER, topicOf } from '../../../src/chain/watch/transfer-log.ts'
import { zeroAddress } from '../../../src/chain/zero.ts'
import { forFile } from '../../harness/for-file.ts'
import type { MadePayment } from '../../http/payments.ts'
import { CONFIRMATIONS, openNativeFixture } from './native-fixture.ts'
import { type AnswerChange, logsAs, refusal } from './test-node.ts'

const fixture = await forFile(openNativeFixture())

const treasury: Hex = `0x${'7e'.repeat(20)}`
const send = (to: string, data: string) =>
  fixture.chain.rpc<string>('eth_sendTransaction', { from: fixture.sender, to, data, gas: '0x400000' })

await send(deploymentProxy, factoryDeployment)
await fixture.chain.mine()

type Collectable = MadePayment & { readonly salt: Hex }

/** A payment whose address is a real forwarder to a treasury. */
const opened = async (asset: 'pick' | 'pick ether' = 'pick ether'): Promise<Collectable> => {
  const payment = await fixture.createPayment()
  const salt = keccak256(stringToHex(payment.actor))
  const collectable = { ...payment, salt, address: forwarderOf(treasury)(salt) }
  await fixture.pickAsset(collectable, asset)
  await fixture.chain.mine()
  await fixture.read()
  await fixture.check([collectable])
  return collectable
}

/** Collects directly, without the service. */
const collect = ({ salt }: Collectable, token: string = zeroAddress) =>
  send(
    factory,
    encodeFunctionData({ abi: factoryAbi, functionName: 'collect', args: [treasury, [salt], [token as Hex]] }),
  )

const balanceOf = async (address: string) =>
  BigInt(await fixture.chain.rpc<string>('eth_getBalance', address, 'latest'))

const mineAndCheck = async (payment: MadePayment, blocks = 1) => {
  await fixture.chain.mine(blocks)
  await fixture.read()
  await fixture.check([payment])
}

test('an internal transfer collected before the next check is found and pays', async () => {
  const payment = await opened()
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine()
  const paidIn = await fixture.head()
  await fixture.chain.mine(2)
  const before = await balanceOf(treasury)
  await collect(payment)
  await fixture.chain.mine()
  expect([await balanceOf(payment.address), (await balanceOf(treasury)) - before]).toEqual([0n, 1000n])
  await fixture.read()
  await fixture.check([payment])
  expect(await fixture.stateOf(payment)).toMatchObject({
    state: 'processing',
    amountReceived: 1000n,
    blockNumber: paidIn,
  })
  // Another check changes nothing.
  await mineAndCheck(payment)
  expect(await fixture.transfersOf(payment)).toHaveLength(1)
  await fixture.rest()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n, attention: false })
})

test('a collection of known transfers needs no attention', async () => {
  const payment = await opened('pick')
  await fixture.chain.pay(payment.address, 400n)
  await fixture.chain.mine()
  await fixture.read()
  await collect(payment, fixture.chain.token)
  await fixture.chain.mine()
  await fixture.read()
  await fixture.check([payment], fixture.source, false)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 400n, attention: false })
})

const endWindow = async (payment: MadePayment) => {
  await fixture.chain.rpc('evm_increaseTime', 3_600)
  await mineAndCheck(payment)
  await fixture.endWindows()
}

test('native currency that arrives and is collected in one block needs attention, once', async () => {
  const payment = await opened()
  await fixture.sendInternally(payment.address, 1000n)
  await collect(payment)
  await mineAndCheck(payment)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n, attention: true })
  await endWindow(payment)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'expired', attention: true })
  await fixture.api.actors.dispatch({ kind: 'payment', actor: payment.actor, event: { type: 'dismiss' } })
  await mineAndCheck(payment)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'expired', attention: false })
})

test('a collection without states to explain it needs attention', async () => {
  const payment = await opened()
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine(2)
  await collect(payment)
  await fixture.chain.mine(20)
  await fixture.read()
  const { hash } = await fixture.chain.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const pruning: AnswerChange = ({ method, params }, answer) =>
    (method === 'eth_getBalance' || method === 'eth_getCode') && !JSON.stringify(params).includes(hash)
      ? refusal
      : answer
  await fixture.withNode(pruning, async source => {
    await fixture.check([payment], source)
  })
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n, attention: true })
})

/** The blocks with unexplained collections. */
const unexplainedIn = async ({ actor }: MadePayment) => {
  const rows = await fixture.sql<{ block_number: string }[]>`
    select block_number from unexplained_collections where payment_id = ${actor}`
  return rows.map(row => Number(row.block_number))
}

test('an unexplained collection is deleted when a reorg removes its block, and recorded again in its new block', async () => {
  const payment = await opened()
  const collectOnce = async () => {
    await fixture.sendInternally(payment.address, 1000n)
    await collect(payment)
    await mineAndCheck(payment)
  }
  await collectOnce()
  expect(await fixture.stateOf(payment)).toMatchObject({ attention: true, collectionUnexplained: true })
  await fixture.chain.reorganize(1)
  await fixture.chain.mine()
  await fixture.read()
  expect(await unexplainedIn(payment)).toEqual([])
  expect(await fixture.stateOf(payment)).toMatchObject({ attention: false, collectionUnexplained: false })
  await fixture.check([payment])
  expect(await fixture.stateOf(payment)).toMatchObject({ attention: false, collectionUnexplained: false })
  await collectOnce()
  await fixture.rest()
  expect(await unexplainedIn(payment)).toHaveLength(1)
  expect(await fixture.stateOf(payment)).toMatchObject({ attention: true, collectionUnexplained: true })
})

test('a reorg above the block of an unexplained collection does not change it', async () => {
  const payment = await opened()
  await fixture.sendInternally(payment.address, 1000n)
  await collect(payment)
  await mineAndCheck(payment)
  await mineAndCheck(payment)
  await fixture.chain.reorganize(1)
  await fixture.chain.mine()
  await fixture.read()
  expect(await unexplainedIn(payment)).toHaveLength(1)
  expect(await fixture.stateOf(payment)).toMatchObject({ attention: true, collectionUnexplained: true })
})

test('a restarted chain state has no unexplained collections of the old chain', async () => {
  const payment = await opened()
  await fixture.sendInternally(payment.address, 1000n)
  await collect(payment)
  await mineAndCheck(payment)
  const state = await findCursor(fixture.sql, fixture.watched.id)
  if (!state) throw new Error('the chain has no cursor')
  const block = { number: state.number, hash: state.hash, minedAt: new Date() }
  await restartChainState(fixture.sql, fixture.watched.id, state, { block, epoch: null })
  await fixture.settle()
  expect(await unexplainedIn(payment)).toEqual([])
  expect(await fixture.stateOf(payment)).toMatchObject({ attention: false, collectionUnexplained: false })
})

test('a transfer in a later block does not explain a collection', async () => {
  const payment = await opened()
  await fixture.sendInternally(payment.address, 1000n)
  await collect(payment)
  await fixture.chain.mine()
  const collectedIn = await fixture.head()
  await fixture.chain.pay(payment.address, 5n)
  await fixture.chain.mine()
  await fixture.read()
  const behind = { ...fixture.source, native: { ...fixture.source.native, agreedHead: async () => collectedIn } }
  await fixture.check([payment], behind)
  expect(await fixture.stateOf(payment)).toMatchObject({ attention: true, collectionUnexplained: true })
})

test('a transfer that is not found again when it becomes final explains no collection', async () => {
  const payment = await opened()
  await fixture.sendInternally(payment.address, 1000n)
  await collect(payment)
  const head = await fixture.head()
  await fixture.chain.mine()
  const { hash } = await fixture.chain.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const invented = {
    ...{ address: fixture.chain.token, data: `0x${'5'.padStart(64, '0')}`, logIndex: '0x9', transactionIndex: '0x9' },
    ...{ blockNumber: `0x${(head + 1).toString(16)}`, blockHash: hash, transactionHash: `0x${'ab'.repeat(32)}` },
    topics: [TRANSFER, topicOf(fixture.sender), topicOf(payment.address)],
    removed: false,
  }
  await fixture.withNode(
    logsAs(logs => [...logs, invented]),
    async source => {
      while ((await readNext(fixture.sql, fixture.watched, source)) !== 'idle');
    },
  )
  await fixture.check([payment])
  expect(await fixture.stateOf(payment)).toMatchObject({ collectionUnexplained: false })
  expect(await fixture.sql`select from transfers where payment_id = ${payment.actor} and state = 'seen'`).toHaveLength(
    1,
  )
  await mineAndCheck(payment, CONFIRMATIONS)
  expect(await fixture.stateOf(payment)).toMatchObject({ attention: true, collectionUnexplained: true })
})
