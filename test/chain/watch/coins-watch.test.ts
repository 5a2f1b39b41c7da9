import { expect, test } from 'bun:test'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { openLooker, watchCoins } from '../../../src/chain/watch/coins/watch.ts'
import { decideSubmissions } from '../../../src/chain/watch/submissions.ts'
import { openTransactions } from '../../../src/chain/watch/transactions.ts'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import { insertSubmission } from '../../../src/queries/submissions.ts'
import { rewrite } from '../../harness/rewrite.ts'
import { until } from '../../harness/until.ts'
import { coinHouse } from './coins-house.ts'

const share = () => ({ position: 0, count: 1 })

test('a payment that a contract has paid is processing at the end of its window, and one that nobody paid expires', async () => {
  await using coins = await coinHouse()
  const [paid, unpaid] = [await coins.opened(), await coins.opened()]
  const state = async (payment: typeof paid) => (await coins.stateOf(payment))?.state
  const watch = watchChains(coins.api, { chains: [{ ...coins.watched, pollMs: 20, source: coins.source }], share })
  try {
    // They are looked at as soon as they are there, and then not for two minutes.
    await until(async () => (await coins.sql`select distinct address from native_balances`).length === 2)
    await coins.sendThrough(paid.address, 1000n)
    await coins.chain.mine()
    const { timestamp } = await coins.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
    const expires_at = new Date(Number(timestamp) * 1_000)
    await rewrite(coins.sql, 'payments', [paid.actor, unpaid.actor], { expires_at })
    await coins.chain.rpc('evm_increaseTime', 60)
    await coins.chain.mine()
    await until(async () => (await state(paid)) === 'processing' && (await state(unpaid)) === 'expired')
    await coins.chain.mine(10)
    await until(async () => (await state(paid)) === 'success')
    expect(watch.troubles().size).toBe(0)
  } finally {
    await watch.stop()
  }
  expect(await coins.audit()).toEqual([])
})

test('coins that a contract sends on are seen with the submitted transaction, and not minutes later', async () => {
  await using coins = await coinHouse()
  const payment = await coins.opened()
  const { id } = coins.watched
  const rhythm = { everyMs: 3_600_000, walkEveryMs: 3_600_000, walkAllEveryMs: 3_600_000 }
  const looker = openLooker(coins.api, { id, source: coins.source }, rhythm)
  while ((await looker.lookOn()) === 'looked');
  const chain = {
    ...{ id, livemode: false, tokens: coins.watched.tokens, pollMs: 10 },
    transactions: openTransactions(openRpc({ chainId: id, urls: [coins.chain.url] }, coins.api)),
  }
  const submitted = async () => {
    await coins.sql`update submissions set next_look_at = now()`
    return decideSubmissions(coins.api, chain, { chains: [chain], signal: new AbortController().signal })
  }

  const txHash = await coins.sendThrough(payment.address, 1000n)
  await insertSubmission(coins.sql, { paymentId: payment.actor, chainId: id, txHash }, 1)
  expect(await submitted()).toBe(1)
  await coins.chain.mine()
  expect(await submitted()).toBe(1)
  // In a block that the books do not have.
  expect(await looker.lookOn()).toBe('idle')
  await coins.read()
  expect(await looker.lookOn()).toBe('looked')
  await coins.settle()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'processing', amountReceived: 1000n })
  expect(await looker.lookOn()).toBe('idle')
})

test('a node that tells no balances is trouble, and is asked again', async () => {
  await using coins = await coinHouse()
  const payment = await coins.opened()
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine()
  await coins.read()
  let garbled = true
  await coins.withNode(
    ({ method }, answer) => (garbled && method === 'eth_call' ? 'nothing' : answer),
    async ({ coins: source }) => {
      const chains = [{ id: coins.watched.id, pollMs: 10, source: { coins: source } }]
      const watch = watchCoins(coins.api, { chains, share })
      try {
        await until(() => watch.troubles().get(coins.watched.id) === 'garbage')
        expect(await coins.transfersOf(payment)).toHaveLength(0)
        garbled = false
        await until(async () => (await coins.transfersOf(payment)).length === 1, { timeoutMs: 30_000 })
        await until(() => watch.troubles().size === 0)
      } finally {
        await watch.stop()
      }
    },
  )
})
