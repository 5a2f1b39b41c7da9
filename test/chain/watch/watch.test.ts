import { expect, test } from 'bun:test'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import { freePort } from '../../../src/postgres/server.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { apiHouse } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { happen, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { giveOut } from './ledger.ts'
import { testChain } from './node.ts'

test("chains are read for as long as it runs, and the trouble of one is no other's", async () => {
  await using house = await apiHouse({ routes: [] })
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
