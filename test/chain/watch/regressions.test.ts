import { expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor, storeLivemode } from '../../../src/chain/watch/chain-state.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { freePort } from '../../../src/postgres/server.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { isInShare } from '../../../src/workers/share.ts'
import { insertMerchant } from '../../access/keys.ts'
import { apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { happen, makePayment, openPayment, windowOver } from '../../http/payments.ts'
import { issueAddress, openLedger } from './ledger.ts'
import { openNativeFixture } from './native-fixture.ts'
import { testChain } from './test-node.ts'

test('an internal transfer found while its block becomes final stays', async () => {
  await using fixture = await openNativeFixture()
  const payment = await fixture.openPayment()
  await fixture.check([payment])
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine(6)
  while ((await readNext(fixture.sql, fixture.watched, fixture.source)) !== 'idle');
  const { agreedSent } = fixture.source.native
  const checkFirst = async (sent: Parameters<typeof agreedSent>[0]) => {
    await fixture.check([payment])
    return agreedSent(sent)
  }
  const slow = { ...fixture.source, native: { ...fixture.source.native, agreedSent: checkFirst } }
  await finalizeNext(fixture.sql, fixture.watched, slow).catch(error => expect(error).toMatchObject({ code: 'PM002' }))
  await fixture.settle()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', amountReceived: 1000n })
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
  const events = await fixture.sql`select type from events where actor = ${payment.actor} order by rev`
  expect(events.map(({ type }) => type)).toEqual(['payment.created', 'payment.processing', 'payment.succeeded'])
  expect(await fixture.audit()).toEqual([])
})

test('a chain is read by one of two workers, also when they have different chains', async () => {
  await using server = await apiServer({ routes: [] })
  await using chain = await testChain()
  const away = `http://127.0.0.1:${await freePort()}`
  const watched = (id: number, url: string) => ({
    ...{ id, tokens: [chain.token], confirmations: 3, pollMs: 20 },
    source: openSource(openRpc({ chainId: id, urls: [url] }, server.api), [chain.token]),
  })
  const [here, more] = [watched(31337, chain.url), watched(31338, away)]
  const readers = [0, 1].filter(position => isInShare(here.id, () => ({ position, count: 2 })))
  expect(readers).toHaveLength(1)
  const workers = [[more, here], [here]].map((chains, position) =>
    watchChains(server.api, { chains, share: () => ({ position, count: 2 }) }),
  )
  try {
    await until(async () => (await findCursor(server.sql, here.id)) !== undefined)
  } finally {
    await Promise.all(workers.map(worker => worker.stop()))
  }
})

test('a short fork is found with a few headers, however many blocks are not final', async () => {
  await using server = await apiServer({ routes: [] })
  await using chain = await testChain()
  const watched = { id: 31337, tokens: [chain.token], confirmations: 10_000 }
  const source = openSource(openRpc({ chainId: watched.id, urls: [chain.url] }, server.api), watched.tokens)
  let asked = 0
  const headers: typeof source.headers = numbers => {
    asked += numbers.length
    return source.headers(numbers)
  }
  const readOn = async () => {
    while ((await readNext(server.sql, watched, { ...source, headers })) !== 'idle');
  }
  await readOn()
  await chain.mine(300)
  await readOn()
  await chain.reorganize(2)
  asked = 0
  expect(await readNext(server.sql, watched, { ...source, headers })).toBe('rewound')
  expect(asked).toBeLessThan(100)
  // A fork as deep as all recorded blocks is found as well.
  await readOn()
  await chain.reorganize(150)
  await readOn()
  expect(await audit(server.sql, kinds)).toEqual([])
  expect((await findCursor(server.sql, watched.id))?.number).toBe(Number(await chain.rpc('eth_blockNumber')))
})

test('test money does not affect a live payment, and live money for a test payment needs attention', async () => {
  await using server = await apiServer({ routes: [] })
  const merchantId = await insertMerchant(server.sql)
  const [live, play] = [await openLedger(server.sql, 1), await openLedger(server.sql, 31337)]
  await storeLivemode(server.sql, 1, true)
  await storeLivemode(server.sql, 31337, false)
  const opened = async (livemode: boolean, chainId: number) => {
    const payment = await openPayment(server.api, { merchantId, livemode }, { pick: { chainId } })
    await issueAddress(server.sql, payment)
    const to = payment.address.toLowerCase()
    return { to, is: () => findPayment(server.sql, { id: payment.actor, merchantId, livemode }) }
  }
  const [real, toy] = [await opened(true, 1), await opened(false, 31337)]
  for (const ledger of [play, live]) {
    for (const { to } of [real, toy]) await ledger.block([{ to, amount: 5n }])
    await ledger.finalize()
    if (ledger === live) continue
    while ((await settlePayments(server.api)) > 0);
    expect((await real.is())?.context).toMatchObject({ stray: null, exception: null, attention: false })
  }
  while ((await settlePayments(server.api)) > 0);
  expect((await real.is())?.context).toMatchObject({ amountFinal: 5n, exception: 'underpaid', attention: false })
  expect((await toy.is())?.context).toMatchObject({ amountFinal: 5n, exception: 'wrong_chain', finalStrays: 1 })
  expect(await server.sql`select from unsettled_payments`).toHaveLength(0)
  expect(await audit(server.sql, kinds)).toEqual([])
})

test('late money does not replace refunded money', async () => {
  await using server = await apiServer({ routes: [] })
  const merchantId = await insertMerchant(server.sql)
  const ledger = await openLedger(server.sql)
  const receive = async ({ address }: { readonly address: string }, amount: bigint) => {
    await ledger.block([{ to: address.toLowerCase(), amount }])
    await ledger.finalize()
    while ((await settlePayments(server.api)) > 0);
  }
  const underpaid = async () => {
    const payment = await makePayment(server.api, { merchantId, livemode: false }, 'picked')
    await issueAddress(server.sql, payment)
    await receive(payment, 600n)
    await happen(server.api, payment.actor, windowOver())
    await happen(server.api, payment.actor, { type: 'reserve_refund', amountMinor: 600 })
    return payment
  }
  const stateOf = async ({ actor }: { readonly actor: string }) => {
    const found = await findPayment(server.sql, { id: actor, merchantId, livemode: false })
    return { state: found?.state, exception: found?.context.exception }
  }
  const [rest, all] = [await underpaid(), await underpaid()]
  await receive(rest, 400n)
  expect(await stateOf(rest)).toEqual({ state: 'failed', exception: 'late' })
  await receive(all, 1000n)
  expect(await stateOf(all)).toEqual({ state: 'success', exception: 'overpaid' })
})
