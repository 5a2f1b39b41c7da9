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
import { giveOut } from './ledger.ts'
import { testChain, through } from './node.ts'

test("chains are read for as long as it runs, and the trouble of one is no other's", async () => {
  await using house = await apiServer({ routes: [] })
  await using chain = await testChain()
  const merchantId = await insertMerchant(house.sql)
  const payment = await makePayment(house.api, { merchantId, livemode: false }, '')
  const pick = { address: payment.address, tokenAddress: chain.token }
  await happen(house.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await giveOut(house.sql, payment)

  const sourceOf = (url: string) => openSource(openRpc({ chainId: 31337, urls: [url] }, house.api), [chain.token])
  // Nobody listens there.
  const away = `http://127.0.0.1:${await freePort()}/v3/a-secret-key`
  const common = { tokens: [chain.token], confirmations: 3, pollMs: 20 }
  const watch = watchChains(house.api, {
    chains: [
      { ...common, id: 31337, source: sourceOf(chain.url) },
      { ...common, id: 31338, source: sourceOf(away) },
    ],
    share: () => ({ position: 0, count: 1 }),
  })
  const state = async () => (await findPayment(house.sql, { id: payment.actor, merchantId, livemode: false }))?.state
  try {
    await until(async () => (await house.sql`select from chain_cursors`).length === 1)
    await chain.pay(payment.address, 1000n)
    await chain.mine()
    await until(async () => (await state()) === 'processing')
    await chain.mine(3)
    await until(async () => (await state()) === 'success')
    await until(() => watch.troubles().get(31338) === 'unreachable', { timeoutMs: 20_000 })
    expect(watch.troubles().size).toBe(1)
    expect(await house.sql`select from chain_cursors`).toHaveLength(1)
  } finally {
    await watch.stop()
  }
  const before = await house.sql`select * from chain_cursors order by chain_id`
  await chain.mine(5)
  await Bun.sleep(100)
  expect(await house.sql`select * from chain_cursors order by chain_id`).toEqual(before)
})

test('while the second of two nodes is away a chain is read as often, and none of it becomes final', async () => {
  await using house = await apiServer({ routes: [] })
  await using chain = await testChain()
  const urls = [chain.url, `http://127.0.0.1:${await freePort()}/`]
  const source = openSource(openRpc({ chainId: 31337, urls }, house.api), [chain.token])
  // Reading begins with what two nodes agree on.
  const before = openSource(openRpc({ chainId: 31337, urls: [chain.url] }, house.api), [chain.token])
  await readNext(house.sql, { id: 31337, tokens: [chain.token], confirmations: 1 }, before)
  const watch = watchChains(house.api, {
    chains: [{ id: 31337, tokens: [chain.token], confirmations: 1, pollMs: 20, source }],
    share: () => ({ position: 0, count: 1 }),
  })
  const cursor = async () =>
    (
      await house.sql<{ number: string; final: string }[]>`
      select number, final_number as final from chain_cursors`
    )[0]
  try {
    const begun = await until(cursor)
    // As many polls as made the pause a minute where reading failed.
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

test('of a chain that always has another block when one was read, blocks become final and windows end', async () => {
  await using house = await apiServer({ routes: [] })
  await using chain = await testChain()
  await using node = await through(chain.url, async ({ method }, answer) => {
    if (method === 'eth_blockNumber') await chain.mine()
    return method === 'eth_blockNumber' ? chain.rpc(method) : answer
  })
  const merchantId = await insertMerchant(house.sql)
  const opened = async () => {
    const payment = await makePayment(house.api, { merchantId, livemode: false }, '')
    const pick = { address: payment.address, tokenAddress: chain.token }
    await happen(house.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
    await giveOut(house.sql, payment)
    return payment
  }
  const [paid, unpaid] = [await opened(), await opened()]
  const watch = watchChains(house.api, {
    chains: [
      {
        ...{ id: 31337, tokens: [chain.token], confirmations: 3, pollMs: 20 },
        source: openSource(openRpc({ chainId: 31337, urls: [node.url] }, house.api), [chain.token]),
      },
    ],
    share: () => ({ position: 0, count: 1 }),
  })
  const stateOf = async ({ actor }: typeof paid) =>
    (await findPayment(house.sql, { id: actor, merchantId, livemode: false }))?.state
  try {
    await until(async () => (await house.sql`select from chain_cursors`).length === 1)
    await rewrite(house.sql, 'payments', [unpaid.actor], { expires_at: new Date(), quote_expires_at: null })
    await chain.pay(paid.address, 1000n)
    await until(async () => (await stateOf(paid)) === 'success')
    await until(async () => (await stateOf(unpaid)) === 'expired')
  } finally {
    await watch.stop()
  }
})

test('a chain is read before its turn when somebody says that something is there', async () => {
  await using house = await apiServer({ routes: [] })
  await using chain = await testChain()
  const source = openSource(openRpc({ chainId: 31337, urls: [chain.url] }, house.api), [chain.token])
  const watch = watchChains(house.api, {
    chains: [{ id: 31337, tokens: [chain.token], confirmations: 3, pollMs: 3_600_000, source }],
    share: () => ({ position: 0, count: 1 }),
  })
  const number = async () => {
    const [cursor] = await house.sql<{ number: string }[]>`select number from chain_cursors`
    return cursor && Number(cursor.number)
  }
  try {
    const before = await until(number)
    await chain.mine()
    // As often as it may be: it is not read at each of them.
    for (let rings = 0; rings < 100; rings++) watch.wake(31337)
    watch.wake(1)
    await until(async () => (await number()) === before + 1)
  } finally {
    await watch.stop()
  }
})

test('two nodes that do not agree on what is final are trouble within two polls, and none when they do again', async () => {
  await using house = await apiServer({ routes: [] })
  await using chain = await testChain()
  let lies = false
  // One of the two has a transfer that nobody made.
  await using liar = await through(chain.url, ({ method }, answer) =>
    lies && method === 'eth_getLogs' ? [madeUp(answer, chain.token), ...(answer as unknown[])].filter(Boolean) : answer,
  )
  const source = openSource(openRpc({ chainId: 31337, urls: [chain.url, liar.url] }, house.api), [chain.token])
  /** What was wrong with the chain whenever the nodes were to agree. */
  const troubles: (string | undefined)[] = []
  const agreedTransfers: typeof source.agreedTransfers = blocks => {
    if (lies) troubles.push(watch.troubles().get(31337))
    return source.agreedTransfers(blocks)
  }
  const watch = watchChains(house.api, {
    chains: [
      { id: 31337, tokens: [chain.token], confirmations: 3, pollMs: 20, source: { ...source, agreedTransfers } },
    ],
    share: () => ({ position: 0, count: 1 }),
  })
  try {
    await until(async () => (await house.sql`select from chain_cursors`).length === 1)
    await chain.pay(SOMEBODY, 1n)
    await chain.mine(5)
    await until(async () => (await house.sql`select from chain_cursors where final_number > 0`).length === 1)
    expect(watch.troubles().size).toBe(0)
    lies = true
    await chain.pay(SOMEBODY, 2n)
    await chain.mine(5)
    await until(() => watch.troubles().get(31337) === 'its nodes do not agree on what is final')
    await until(() => troubles.length > 4)
    // The first one may be of a turn that began before.
    expect(new Set(troubles.slice(3))).toEqual(new Set(['its nodes do not agree on what is final']))
    lies = false
    await until(() => watch.troubles().size === 0)
  } finally {
    await watch.stop()
  }
})

const SOMEBODY = `0x${'5b'.repeat(20)}`

const madeUp = (answer: unknown, token: string) => {
  const [log] = answer as Record<string, unknown>[]
  return log && { ...log, address: token, data: `0x${'9'.padStart(64, '0')}`, logIndex: '0x7' }
}
