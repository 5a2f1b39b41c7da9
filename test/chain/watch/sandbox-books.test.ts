import { expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { audit } from '../../../src/audit/audit.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor } from '../../../src/chain/watch/books.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { DeepReorganization } from '../../../src/chain/watch/fork.ts'
import { readNextOf, type WatchedSandbox } from '../../../src/chain/watch/sandbox-books.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { freePort } from '../../../src/postgres/server.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { apiServer } from '../../harness/api.ts'
import { dataFolder } from '../../harness/embedded-parent.ts'
import { until } from '../../harness/until.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { mint, opened as openedSandbox } from '../../sandbox/opened.ts'
import { giveOut } from './ledger.ts'
import { type TestChain, testChain } from './node.ts'

const SANDBOX = 31337
const CONFIRMATIONS = 3

/** A house that watches whatever chain is at one place. */
const watchingHouse = async (url: string, token: string, epoch?: () => string | undefined) => {
  const house = await apiServer({ routes: [] })
  const merchantId = await insertMerchant(house.sql)
  const watched: WatchedSandbox = { id: SANDBOX, tokens: [token], confirmations: CONFIRMATIONS, epoch }
  const source = () => openSource(openRpc({ chainId: SANDBOX, urls: [url] }, house.api), watched.tokens)
  const settle = async () => {
    while ((await settlePayments(house.api)) > 0);
  }
  return {
    ...house,
    settle,
    watched,
    source,
    opened: async (more = {}): Promise<MadePayment> => {
      const payment = await makePayment(house.api, { merchantId, livemode: false }, '')
      const pick = { address: payment.address, tokenAddress: token, ...more }
      await happen(house.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
      await giveOut(house.sql, payment)
      return payment
    },
    read: async () => {
      // Another process, which has not asked anything yet.
      const from = source()
      for (let steps = 0; steps < 50; steps++)
        if ((await readNextOf(house.api, watched, from)) === 'idle' && steps > 0) break
      await finalizeNext(house.sql, watched, from)
      await settle()
    },
    stateOf: async ({ actor }: MadePayment) => {
      const payment = await findPayment(house.sql, { id: actor, merchantId, livemode: false })
      return payment && { ...payment.context, state: payment.state }
    },
    [Symbol.asyncDispose]: async () => {
      expect(await audit(house.sql, kinds)).toEqual([])
      await house[Symbol.asyncDispose]()
    },
  }
}

const paidAndDeep = async (chain: TestChain, { address }: MadePayment) => {
  const hash = await chain.pay(address, 1000n)
  await chain.mine(CONFIRMATIONS)
  return hash
}

test('a sandbox that comes back empty takes what was not final with it, keeps what was, and goes on', async () => {
  const port = await freePort()
  const first = await testChain([], port)
  let epoch = 'one'
  await using house = await watchingHouse(first.url, first.token, () => epoch)
  await first.mine(300)
  await house.read()
  const [done, seen, next] = [await house.opened(), await house.opened(), await house.opened()]
  const deep = await house.opened({ confirmationsRequired: 50 })
  const raw = await first.rpc<string>('eth_getRawTransactionByHash', await paidAndDeep(first, done))
  await paidAndDeep(first, deep)
  await house.read()
  await first.pay(seen.address, 1000n)
  await first.mine()
  await house.read()
  const states = async () =>
    (await Promise.all([done, seen, deep, next].map(house.stateOf))).map(payment => payment?.state)
  expect(await states()).toEqual(['success', 'processing', 'processing', 'pending'])
  const before = await house.sql<{ step: string }[]>`select step from chain_cursors`
  await first[Symbol.asyncDispose]()

  await using second = await testChain([], port)
  epoch = 'two'
  expect(second.token).toBe(first.token)
  // The same transaction again, and one before anybody looks.
  const again = await second.rpc<string>('eth_sendRawTransaction', raw)
  await second.mine()
  expect(await second.rpc<object>('eth_getTransactionReceipt', again)).toMatchObject({ status: '0x1' })
  await paidAndDeep(second, next)
  await house.read()
  expect(await states()).toEqual(['success', 'pending', 'success', 'success'])
  expect(await house.stateOf(done)).toMatchObject({ amountReceived: 1000n, exception: null })
  expect(await house.stateOf(seen)).toMatchObject({ amountReceived: 0n, txHash: null, blockNumber: null })
  const head = Number(await second.rpc<string>('eth_blockNumber'))
  expect(await findCursor(house.sql, SANDBOX)).toMatchObject({ number: head, epoch: 'two' })
  const after = await house.sql<{ step: string }[]>`select step from chain_cursors`
  expect(Number(after[0]?.step)).toBeGreaterThan(Number(before[0]?.step))

  await paidAndDeep(second, seen)
  await house.read()
  expect(await states()).toEqual(['success', 'success', 'success', 'success'])
}, 30_000)

test('one that lost its last blocks goes back to where they part, and keeps what it still has', async () => {
  await using chain = await testChain()
  let epoch: string | undefined = 'one'
  await using house = await watchingHouse(chain.url, chain.token, () => epoch)
  await chain.mine(5)
  await house.read()
  const [kept, lost] = [await house.opened(), await house.opened()]
  await chain.pay(kept.address, 1000n)
  await chain.mine()
  await chain.pay(lost.address, 1000n)
  await chain.mine()
  await house.read()
  await chain.rollback(1)
  // Who has the chain is not known, and a shorter chain alone says nothing.
  epoch = undefined
  await house.read()
  expect([(await house.stateOf(kept))?.state, (await house.stateOf(lost))?.state]).toEqual(['processing', 'processing'])
  epoch = 'two'
  await house.read()
  expect([(await house.stateOf(kept))?.state, (await house.stateOf(lost))?.state]).toEqual(['processing', 'pending'])
  await chain.mine(CONFIRMATIONS)
  await house.read()
  expect((await house.stateOf(kept))?.state).toBe('success')
  expect(await findCursor(house.sql, SANDBOX)).toMatchObject({ epoch: 'two' })
})

test('a reorganisation below finality begins the books of the sandbox anew, and stops those of any other chain', async () => {
  await using chain = await testChain()
  await using house = await watchingHouse(chain.url, chain.token, () => 'one')
  await chain.mine(20)
  await house.read()
  const [payment, waiting] = [await house.opened(), await house.opened()]
  await paidAndDeep(chain, payment)
  await chain.mine(3)
  await house.read()
  await chain.reorganize(CONFIRMATIONS + 3, [[chain.payment(waiting.address, 1000n), 0]])
  await chain.mine()
  const other = { ...house.watched, epoch: undefined }
  await expect(readNextOf(house.api, other, house.source())).rejects.toBeInstanceOf(DeepReorganization)
  expect((await findCursor(house.sql, SANDBOX))?.stopped).toBe(true)
  await house.read()
  expect((await findCursor(house.sql, SANDBOX))?.stopped).toBe(false)
  expect((await house.stateOf(payment))?.state).toBe('success')
  expect(await house.stateOf(waiting)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('the embedded sandbox is followed to an empty chain while the house runs', async () => {
  await using folder = dataFolder()
  let sandbox = await openedSandbox(folder.path)
  await using house = await watchingHouse(sandbox.url, sandbox.contracts.token, () => sandbox.epoch())
  const watch = watchChains(house.api, {
    chains: [{ ...house.watched, pollMs: 20, source: house.source() }],
    share: () => ({ position: 0, count: 1 }),
  })
  const state = async (payment: MadePayment) => (await house.stateOf(payment))?.state
  try {
    const [seen, next] = [await house.opened(), await house.opened()]
    await until(async () => (await findCursor(house.sql, SANDBOX))?.epoch === sandbox.epoch())
    for (let blocks = 0; blocks < 20; blocks++) await mint(sandbox.url, `0x${'1'.repeat(40)}`, 1)
    await mint(sandbox.url, seen.address, 1000)
    await until(async () => (await state(seen)) === 'processing')

    const { url } = sandbox
    await sandbox.stop()
    const saved = join(folder.path, 'sandbox')
    for (const name of readdirSync(saved)) if (name.startsWith('state') || name === 'latest') rmSync(join(saved, name))
    sandbox = await openedSandbox(folder.path)
    expect(sandbox.url).toBe(url)
    await until(async () => (await state(seen)) === 'pending', { timeoutMs: 30_000 })
    await mint(sandbox.url, next.address, 1000)
    using _ = sandbox.keepMining()
    await until(async () => (await state(next)) === 'success', { timeoutMs: 30_000 })
    expect(watch.troubles().size).toBe(0)
  } finally {
    await watch.stop()
    await sandbox.stop()
  }
}, 60_000)
