import { expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { audit } from '../../../src/audit/audit.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor } from '../../../src/chain/watch/chain-state.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { DeepReorganization } from '../../../src/chain/watch/fork.ts'
import { readChain, type WatchedSandbox } from '../../../src/chain/watch/read-chain.ts'
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
import { issueAddress } from './ledger.ts'
import { type TestChain, testChain } from './test-node.ts'

const SANDBOX = 31337
const CONFIRMATIONS = 3

/** A server that watches the chain at this URL, which may be replaced. */
const openWatchingServer = async (url: string, token: string, epoch?: () => string | undefined) => {
  const server = await apiServer({ routes: [] })
  const merchantId = await insertMerchant(server.sql)
  const watched: WatchedSandbox = { id: SANDBOX, tokens: [token], confirmations: CONFIRMATIONS, epoch }
  const source = () => openSource(openRpc({ chainId: SANDBOX, urls: [url] }, server.api), watched.tokens)
  const settle = async () => {
    while ((await settlePayments(server.api)) > 0);
  }
  return {
    ...server,
    settle,
    watched,
    source,
    openPayment: async (more = {}): Promise<MadePayment> => {
      const payment = await makePayment(server.api, { merchantId, livemode: false }, '')
      const pick = { address: payment.address, tokenAddress: token, ...more }
      await happen(server.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
      await issueAddress(server.sql, payment)
      return payment
    },
    read: async () => {
      // A source as of a process that has just started.
      const from = source()
      for (let steps = 0; steps < 50; steps++)
        if ((await readChain(server.api, watched, from)) === 'idle' && steps > 0) break
      await finalizeNext(server.sql, watched, from)
      await settle()
    },
    stateOf: async ({ actor }: MadePayment) => {
      const payment = await findPayment(server.sql, { id: actor, merchantId, livemode: false })
      return payment && { ...payment.context, state: payment.state }
    },
    [Symbol.asyncDispose]: async () => {
      expect(await audit(server.sql, kinds)).toEqual([])
      await server[Symbol.asyncDispose]()
    },
  }
}

const paidAndDeep = async (chain: TestChain, { address }: MadePayment) => {
  const hash = await chain.pay(address, 1000n)
  await chain.mine(CONFIRMATIONS)
  return hash
}

test('an emptied sandbox orphans transfers that were not final, keeps final ones, and is read on', async () => {
  const port = await freePort()
  const first = await testChain([], port)
  let epoch = 'one'
  await using server = await openWatchingServer(first.url, first.token, () => epoch)
  await first.mine(300)
  await server.read()
  const [done, seen, next] = [await server.openPayment(), await server.openPayment(), await server.openPayment()]
  const deep = await server.openPayment({ confirmationsRequired: 50 })
  const raw = await first.rpc<string>('eth_getRawTransactionByHash', await paidAndDeep(first, done))
  await paidAndDeep(first, deep)
  await server.read()
  await first.pay(seen.address, 1000n)
  await first.mine()
  await server.read()
  const states = async () =>
    (await Promise.all([done, seen, deep, next].map(server.stateOf))).map(payment => payment?.state)
  expect(await states()).toEqual(['success', 'processing', 'processing', 'pending'])
  const before = await server.sql<{ step: string }[]>`select step from chain_cursors`
  await first[Symbol.asyncDispose]()

  await using second = await testChain([], port)
  epoch = 'two'
  expect(second.token).toBe(first.token)
  // The same transaction again, and one before the chain is read.
  const again = await second.rpc<string>('eth_sendRawTransaction', raw)
  await second.mine()
  expect(await second.rpc<object>('eth_getTransactionReceipt', again)).toMatchObject({ status: '0x1' })
  await paidAndDeep(second, next)
  await server.read()
  expect(await states()).toEqual(['success', 'pending', 'success', 'success'])
  expect(await server.stateOf(done)).toMatchObject({ amountReceived: 1000n, exception: null })
  expect(await server.stateOf(seen)).toMatchObject({ amountReceived: 0n, txHash: null, blockNumber: null })
  const head = Number(await second.rpc<string>('eth_blockNumber'))
  expect(await findCursor(server.sql, SANDBOX)).toMatchObject({ number: head, epoch: 'two' })
  const after = await server.sql<{ step: string }[]>`select step from chain_cursors`
  expect(Number(after[0]?.step)).toBeGreaterThan(Number(before[0]?.step))

  await paidAndDeep(second, seen)
  await server.read()
  expect(await states()).toEqual(['success', 'success', 'success', 'success'])
}, 30_000)

test('a sandbox that lost its last blocks is rewound to the fork', async () => {
  await using chain = await testChain()
  let epoch: string | undefined = 'one'
  await using server = await openWatchingServer(chain.url, chain.token, () => epoch)
  await chain.mine(5)
  await server.read()
  const [kept, lost] = [await server.openPayment(), await server.openPayment()]
  await chain.pay(kept.address, 1000n)
  await chain.mine()
  await chain.pay(lost.address, 1000n)
  await chain.mine()
  await server.read()
  await chain.rollback(1)
  // The epoch is not known, and a shorter chain alone is not conclusive.
  epoch = undefined
  await server.read()
  expect([(await server.stateOf(kept))?.state, (await server.stateOf(lost))?.state]).toEqual([
    'processing',
    'processing',
  ])
  epoch = 'two'
  await server.read()
  expect([(await server.stateOf(kept))?.state, (await server.stateOf(lost))?.state]).toEqual(['processing', 'pending'])
  await chain.mine(CONFIRMATIONS)
  await server.read()
  expect((await server.stateOf(kept))?.state).toBe('success')
  expect(await findCursor(server.sql, SANDBOX)).toMatchObject({ epoch: 'two' })
})

test('a reorg below the final block restarts the sandbox and stops any other chain', async () => {
  await using chain = await testChain()
  await using server = await openWatchingServer(chain.url, chain.token, () => 'one')
  await chain.mine(20)
  await server.read()
  const [payment, waiting] = [await server.openPayment(), await server.openPayment()]
  await paidAndDeep(chain, payment)
  await chain.mine(3)
  await server.read()
  await chain.reorganize(CONFIRMATIONS + 3, [[chain.payment(waiting.address, 1000n), 0]])
  await chain.mine()
  const other = { ...server.watched, epoch: undefined }
  await expect(readChain(server.api, other, server.source())).rejects.toBeInstanceOf(DeepReorganization)
  expect((await findCursor(server.sql, SANDBOX))?.stopped).toBe(true)
  await server.read()
  expect((await findCursor(server.sql, SANDBOX))?.stopped).toBe(false)
  expect((await server.stateOf(payment))?.state).toBe('success')
  expect(await server.stateOf(waiting)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('the embedded sandbox is followed to an empty chain while the server runs', async () => {
  await using folder = dataFolder()
  let sandbox = await openedSandbox(folder.path)
  await using server = await openWatchingServer(sandbox.url, sandbox.contracts.token, () => sandbox.epoch())
  const watch = watchChains(server.api, {
    chains: [{ ...server.watched, pollMs: 20, source: server.source() }],
    share: () => ({ position: 0, count: 1 }),
  })
  const state = async (payment: MadePayment) => (await server.stateOf(payment))?.state
  try {
    const [seen, next] = [await server.openPayment(), await server.openPayment()]
    await until(async () => (await findCursor(server.sql, SANDBOX))?.epoch === sandbox.epoch())
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
