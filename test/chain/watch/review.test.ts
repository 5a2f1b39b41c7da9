import { expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor, keepLivemode } from '../../../src/chain/watch/books.ts'
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
import { coinHouse } from './coins-house.ts'
import { giveOut, openLedger } from './ledger.ts'
import { testChain } from './node.ts'

test('coins that a look finds while its block becomes final are not taken back', async () => {
  await using coins = await coinHouse()
  const payment = await coins.opened()
  await coins.look([payment])
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine(6)
  while ((await readNext(coins.sql, coins.watched, coins.source)) !== 'idle');
  const { agreedSent } = coins.source.coins
  const lookFirst = async (sent: Parameters<typeof agreedSent>[0]) => {
    await coins.look([payment])
    return agreedSent(sent)
  }
  const slow = { ...coins.source, coins: { ...coins.source.coins, agreedSent: lookFirst } }
  await finalizeNext(coins.sql, coins.watched, slow).catch(error => expect(error).toMatchObject({ code: 'PM002' }))
  await coins.settle()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'processing', amountReceived: 1000n })
  await coins.read()
  expect(await coins.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
  const told = await coins.sql`select type from events where actor = ${payment.actor} order by rev`
  expect(told.map(({ type }) => type)).toEqual(['payment.created', 'payment.processing', 'payment.succeeded'])
  expect(await coins.audit()).toEqual([])
})

test('a chain is read by one of two workers, also where one of them has been given a chain more', async () => {
  await using house = await apiServer({ routes: [] })
  await using chain = await testChain()
  const away = `http://127.0.0.1:${await freePort()}`
  const watched = (id: number, url: string) => ({
    ...{ id, tokens: [chain.token], confirmations: 3, pollMs: 20 },
    source: openSource(openRpc({ chainId: id, urls: [url] }, house.api), [chain.token]),
  })
  const [here, more] = [watched(31337, chain.url), watched(31338, away)]
  const readers = [0, 1].filter(position => isInShare(here.id, () => ({ position, count: 2 })))
  expect(readers).toHaveLength(1)
  const workers = [[more, here], [here]].map((chains, position) =>
    watchChains(house.api, { chains, share: () => ({ position, count: 2 }) }),
  )
  try {
    await until(async () => (await findCursor(house.sql, here.id)) !== undefined)
  } finally {
    await Promise.all(workers.map(worker => worker.stop()))
  }
})

test('a short fork is found by a few headers, however many blocks are not final', async () => {
  await using house = await apiServer({ routes: [] })
  await using chain = await testChain()
  const watched = { id: 31337, tokens: [chain.token], confirmations: 10_000 }
  const source = openSource(openRpc({ chainId: watched.id, urls: [chain.url] }, house.api), watched.tokens)
  let asked = 0
  const headers: typeof source.headers = numbers => {
    asked += numbers.length
    return source.headers(numbers)
  }
  const readOn = async () => {
    while ((await readNext(house.sql, watched, { ...source, headers })) !== 'idle');
  }
  await readOn()
  await chain.mine(300)
  await readOn()
  await chain.reorganize(2)
  asked = 0
  expect(await readNext(house.sql, watched, { ...source, headers })).toBe('rewound')
  expect(asked).toBeLessThan(100)
  // As deep as all that is known: it is found as well.
  await readOn()
  await chain.reorganize(150)
  await readOn()
  expect(await audit(house.sql, kinds)).toEqual([])
  expect((await findCursor(house.sql, watched.id))?.number).toBe(Number(await chain.rpc('eth_blockNumber')))
})

test('test money is nothing to a live payment, and live money at the address of a test payment waits for a person', async () => {
  await using house = await apiServer({ routes: [] })
  const merchantId = await insertMerchant(house.sql)
  const [live, play] = [await openLedger(house.sql, 1), await openLedger(house.sql, 31337)]
  await keepLivemode(house.sql, 1, true)
  await keepLivemode(house.sql, 31337, false)
  const opened = async (livemode: boolean, chainId: number) => {
    const payment = await openPayment(house.api, { merchantId, livemode }, { pick: { chainId } })
    await giveOut(house.sql, payment)
    const to = payment.address.toLowerCase()
    return { to, is: () => findPayment(house.sql, { id: payment.actor, merchantId, livemode }) }
  }
  const [real, toy] = [await opened(true, 1), await opened(false, 31337)]
  for (const ledger of [play, live]) {
    for (const { to } of [real, toy]) await ledger.block([{ to, amount: 5n }])
    await ledger.finalize()
    if (ledger === live) continue
    while ((await settlePayments(house.api)) > 0);
    expect((await real.is())?.context).toMatchObject({ stray: null, exception: null, attention: false })
  }
  while ((await settlePayments(house.api)) > 0);
  expect((await real.is())?.context).toMatchObject({ amountFinal: 5n, exception: 'underpaid', attention: false })
  expect((await toy.is())?.context).toMatchObject({ amountFinal: 5n, exception: 'wrong_chain', finalStrays: 1 })
  expect(await house.sql`select from unsettled_payments`).toHaveLength(0)
  expect(await audit(house.sql, kinds)).toEqual([])
})

test('late money makes up for nothing that was refunded', async () => {
  await using house = await apiServer({ routes: [] })
  const merchantId = await insertMerchant(house.sql)
  const ledger = await openLedger(house.sql)
  const receive = async ({ address }: { readonly address: string }, amount: bigint) => {
    await ledger.block([{ to: address.toLowerCase(), amount }])
    await ledger.finalize()
    while ((await settlePayments(house.api)) > 0);
  }
  const underpaid = async () => {
    const payment = await makePayment(house.api, { merchantId, livemode: false }, 'picked')
    await giveOut(house.sql, payment)
    await receive(payment, 600n)
    await happen(house.api, payment.actor, windowOver())
    await happen(house.api, payment.actor, { type: 'reserve_refund', amountMinor: 600 })
    return payment
  }
  const stateOf = async ({ actor }: { readonly actor: string }) => {
    const found = await findPayment(house.sql, { id: actor, merchantId, livemode: false })
    return { state: found?.state, exception: found?.context.exception }
  }
  const [rest, all] = [await underpaid(), await underpaid()]
  await receive(rest, 400n)
  expect(await stateOf(rest)).toEqual({ state: 'failed', exception: 'late' })
  await receive(all, 1000n)
  expect(await stateOf(all)).toEqual({ state: 'success', exception: 'overpaid' })
})
