import { expect, test } from 'bun:test'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import { freePort } from '../../../src/postgres/server.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { apiServer } from '../../harness/api.ts'
import { rewrite } from '../../harness/rewrite.ts'
import { until } from '../../harness/until.ts'
import { happen, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { issueAddress } from './ledger.ts'
import { changedNode, testChain } from './test-node.ts'

test('chains are read continuously, and a failing chain does not affect the others', async () => {
  await using server = await apiServer({ routes: [] })
  await using chain = await testChain()
  const merchantId = await insertMerchant(server.sql)
  const payment = await makePayment(server.api, { merchantId, livemode: false }, '')
  const pick = { address: payment.address, tokenAddress: chain.token }
  await happen(server.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await issueAddress(server.sql, payment)

  const sourceOf = (url: string) => openSource(openRpc({ chainId: 31337, urls: [url] }, server.api), [chain.token])
  // No server listens there.
  const away = `http://127.0.0.1:${await freePort()}/v3/a-secret-key`
  const common = { tokens: [chain.token], confirmations: 3, pollMs: 20 }
  const watch = watchChains(server.api, {
    chains: [
      { ...common, id: 31337, source: sourceOf(chain.url) },
      { ...common, id: 31338, source: sourceOf(away) },
    ],
    share: () => ({ position: 0, count: 1 }),
  })
  const state = async () => (await findPayment(server.sql, { id: payment.actor, merchantId, livemode: false }))?.state
  try {
    await until(async () => (await server.sql`select from chain_cursors`).length === 1)
    await chain.pay(payment.address, 1000n)
    await chain.mine()
    await until(async () => (await state()) === 'processing')
    await chain.mine(3)
    await until(async () => (await state()) === 'success')
    await until(() => watch.troubles().get(31338) === 'unreachable', { timeoutMs: 20_000 })
    expect(watch.troubles().size).toBe(1)
    expect(await server.sql`select from chain_cursors`).toHaveLength(1)
  } finally {
    await watch.stop()
  }
  const before = await server.sql`select * from chain_cursors order by chain_id`
  await chain.mine(5)
  await Bun.sleep(100)
  expect(await server.sql`select * from chain_cursors order by chain_id`).toEqual(before)
})

test('while the second of two nodes is down, a chain is read as often and nothing becomes final', async () => {
  await using server = await apiServer({ routes: [] })
  await using chain = await testChain()
  const urls = [chain.url, `http://127.0.0.1:${await freePort()}/`]
  const source = openSource(openRpc({ chainId: 31337, urls }, server.api), [chain.token])
  // Reading starts at a block that two nodes agree on.
  const before = openSource(openRpc({ chainId: 31337, urls: [chain.url] }, server.api), [chain.token])
  await readNext(server.sql, { id: 31337, tokens: [chain.token], confirmations: 1 }, before)
  const watch = watchChains(server.api, {
    chains: [{ id: 31337, tokens: [chain.token], confirmations: 1, pollMs: 20, source }],
    share: () => ({ position: 0, count: 1 }),
  })
  const cursor = async () =>
    (
      await server.sql<{ number: string; final: string }[]>`
      select number, final_number as final from chain_cursors`
    )[0]
  try {
    const begun = await until(cursor)
    // As many polls as would make the pause a minute if reading failed.
    for (let blocks = 0; blocks < 12; blocks++) {
      await chain.mine()
      const head = Number(await chain.rpc('eth_blockNumber'))
      await until(async () => Number((await cursor())?.number) === head, { timeoutMs: 5_000 })
    }
    expect((await cursor())?.final).toBe(begun.final)
    expect(watch.troubles().get(31337)).toBe('unreachable')
  } finally {
    await watch.stop()
  }
})

test('on a chain that always has another new block, blocks become final and windows end', async () => {
  await using server = await apiServer({ routes: [] })
  await using chain = await testChain()
  await using node = await changedNode(chain.url, async ({ method }, answer) => {
    if (method === 'eth_blockNumber') await chain.mine()
    return method === 'eth_blockNumber' ? chain.rpc(method) : answer
  })
  const merchantId = await insertMerchant(server.sql)
  const opened = async () => {
    const payment = await makePayment(server.api, { merchantId, livemode: false }, '')
    const pick = { address: payment.address, tokenAddress: chain.token }
    await happen(server.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
    await issueAddress(server.sql, payment)
    return payment
  }
  const [paid, unpaid] = [await opened(), await opened()]
  const watch = watchChains(server.api, {
    chains: [
      {
        ...{ id: 31337, tokens: [chain.token], confirmations: 3, pollMs: 20 },
        source: openSource(openRpc({ chainId: 31337, urls: [node.url] }, server.api), [chain.token]),
      },
    ],
    share: () => ({ position: 0, count: 1 }),
  })
  const stateOf = async ({ actor }: typeof paid) =>
    (await findPayment(server.sql, { id: actor, merchantId, livemode: false }))?.state
  try {
    await until(async () => (await server.sql`select from chain_cursors`).length === 1)
    await rewrite(server.sql, 'payments', [unpaid.actor], { expires_at: new Date(), quote_expires_at: null })
    await chain.pay(paid.address, 1000n)
    await until(async () => (await stateOf(paid)) === 'success')
    await until(async () => (await stateOf(unpaid)) === 'expired')
  } finally {
    await watch.stop()
  }
})

test('a wake-up makes a chain be read before its turn', async () => {
  await using server = await apiServer({ routes: [] })
  await using chain = await testChain()
  const source = openSource(openRpc({ chainId: 31337, urls: [chain.url] }, server.api), [chain.token])
  const watch = watchChains(server.api, {
    chains: [{ id: 31337, tokens: [chain.token], confirmations: 3, pollMs: 3_600_000, source }],
    share: () => ({ position: 0, count: 1 }),
  })
  const number = async () => {
    const [cursor] = await server.sql<{ number: string }[]>`select number from chain_cursors`
    return cursor && Number(cursor.number)
  }
  try {
    const before = await until(number)
    await chain.mine()
    // Wake-ups are limited: not each of them causes a reading.
    for (let wakeUps = 0; wakeUps < 100; wakeUps++) watch.wake(31337)
    watch.wake(1)
    await until(async () => (await number()) === before + 1)
  } finally {
    await watch.stop()
  }
})

test('two nodes that disagree on finality are reported within two polls, until they agree', async () => {
  await using server = await apiServer({ routes: [] })
  await using chain = await testChain()
  let isWrong = false
  // One of the two nodes has an invented transfer.
  await using wrongNode = await changedNode(chain.url, ({ method }, answer) =>
    isWrong && method === 'eth_getLogs'
      ? [inventedLog(answer, chain.token), ...(answer as unknown[])].filter(Boolean)
      : answer,
  )
  const source = openSource(openRpc({ chainId: 31337, urls: [chain.url, wrongNode.url] }, server.api), [chain.token])
  /** The reported problem at each moment when the nodes should agree. */
  const troubles: (string | undefined)[] = []
  const agreedTransfers: typeof source.agreedTransfers = blocks => {
    if (isWrong) troubles.push(watch.troubles().get(31337))
    return source.agreedTransfers(blocks)
  }
  const watch = watchChains(server.api, {
    chains: [
      { id: 31337, tokens: [chain.token], confirmations: 3, pollMs: 20, source: { ...source, agreedTransfers } },
    ],
    share: () => ({ position: 0, count: 1 }),
  })
  try {
    await until(async () => (await server.sql`select from chain_cursors`).length === 1)
    await chain.pay(RECIPIENT, 1n)
    await chain.mine(5)
    await until(async () => (await server.sql`select from chain_cursors where final_number > 0`).length === 1)
    expect(watch.troubles().size).toBe(0)
    isWrong = true
    await chain.pay(RECIPIENT, 2n)
    await chain.mine(5)
    await until(() => watch.troubles().get(31337) === 'its nodes do not agree on what is final')
    await until(() => troubles.length > 4)
    // The first may be from a turn that started before.
    expect(new Set(troubles.slice(3))).toEqual(new Set(['its nodes do not agree on what is final']))
    isWrong = false
    await until(() => watch.troubles().size === 0)
  } finally {
    await watch.stop()
  }
})

const RECIPIENT = `0x${'5b'.repeat(20)}`

const inventedLog = (answer: unknown, token: string) => {
  const [log] = answer as Record<string, unknown>[]
  return log && { ...log, address: token, data: `0x${'9'.padStart(64, '0')}`, logIndex: '0x7' }
}
