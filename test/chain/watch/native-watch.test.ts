import { expect, test } from 'bun:test'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { openBalanceChecker, watchBalances } from '../../../src/chain/watch/native/watch-balances.ts'
import { decideSubmissions } from '../../../src/chain/watch/submissions.ts'
import { openTransactions } from '../../../src/chain/watch/transactions.ts'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import { insertSubmission } from '../../../src/queries/submissions.ts'
import { rewrite } from '../../harness/rewrite.ts'
import { until } from '../../harness/until.ts'
import { openNativeFixture } from './native-fixture.ts'

const share = () => ({ position: 0, count: 1 })

test('at the end of its window a payment paid by a contract is processing and an unpaid one expires', async () => {
  await using fixture = await openNativeFixture()
  const [paid, unpaid] = [await fixture.openPayment(), await fixture.openPayment()]
  const state = async (payment: typeof paid) => (await fixture.stateOf(payment))?.state
  const watch = watchChains(fixture.api, {
    chains: [{ ...fixture.watched, pollMs: 20, source: fixture.source }],
    share,
  })
  try {
    // They are checked as soon as they are open, and then not for two minutes.
    await until(async () => (await fixture.sql`select distinct address from native_balances`).length === 2)
    await fixture.sendInternally(paid.address, 1000n)
    await fixture.chain.mine()
    const { timestamp } = await fixture.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
    const expires_at = new Date(Number(timestamp) * 1_000)
    await rewrite(fixture.sql, 'payments', [paid.actor, unpaid.actor], { expires_at })
    await fixture.chain.rpc('evm_increaseTime', 60)
    await fixture.chain.mine()
    await until(async () => (await state(paid)) === 'processing' && (await state(unpaid)) === 'expired')
    await fixture.chain.mine(10)
    await until(async () => (await state(paid)) === 'success')
    expect(watch.troubles().size).toBe(0)
  } finally {
    await watch.stop()
  }
  expect(await fixture.audit()).toEqual([])
})

test('an internal transfer is seen with the submitted transaction, not minutes later', async () => {
  await using fixture = await openNativeFixture()
  const payment = await fixture.openPayment()
  const { id } = fixture.watched
  const intervals = { everyMs: 3_600_000, walkEveryMs: 3_600_000, walkAllEveryMs: 3_600_000 }
  const checker = openBalanceChecker(fixture.api, { id, source: fixture.source }, intervals)
  while ((await checker.checkNext()) === 'checked');
  const chain = {
    ...{ id, livemode: false, tokens: fixture.watched.tokens, pollMs: 10 },
    transactions: openTransactions(openRpc({ chainId: id, urls: [fixture.chain.url] }, fixture.api)),
  }
  const submitted = async () => {
    await fixture.sql`update submissions set next_look_at = now()`
    return decideSubmissions(fixture.api, chain, { chains: [chain], signal: new AbortController().signal })
  }

  const txHash = await fixture.sendInternally(payment.address, 1000n)
  await insertSubmission(fixture.sql, { paymentId: payment.actor, chainId: id, txHash }, 1)
  expect(await submitted()).toBe(1)
  await fixture.chain.mine()
  expect(await submitted()).toBe(1)
  // In a block that is not recorded yet.
  expect(await checker.checkNext()).toBe('idle')
  await fixture.read()
  expect(await checker.checkNext()).toBe('checked')
  await fixture.settle()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', amountReceived: 1000n })
  expect(await checker.checkNext()).toBe('idle')
})

test('a node that returns no balances is reported as a problem and asked again', async () => {
  await using fixture = await openNativeFixture()
  const payment = await fixture.openPayment()
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine()
  await fixture.read()
  let garbled = true
  await fixture.withNode(
    ({ method }, answer) => (garbled && method === 'eth_call' ? 'nothing' : answer),
    async ({ native: source }) => {
      const chains = [{ id: fixture.watched.id, pollMs: 10, source: { native: source } }]
      const watch = watchBalances(fixture.api, { chains, share })
      try {
        await until(() => watch.troubles().get(fixture.watched.id) === 'garbage')
        expect(await fixture.transfersOf(payment)).toHaveLength(0)
        garbled = false
        await until(async () => (await fixture.transfersOf(payment)).length === 1, { timeoutMs: 30_000 })
        await until(() => watch.troubles().size === 0)
      } finally {
        await watch.stop()
      }
    },
  )
})
