import { expect, test } from 'bun:test'
import { openSource } from '../../../src/chain/watch/source.ts'
import { watchChains } from '../../../src/chain/watch/watch.ts'
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

  let away = true
  const refused = async () => {
    throw Object.assign(new Error('https://node.example/v3/a-secret-key is away'), { reason: 'unreachable' })
  }
  const good = openSource(chain.nodes, [chain.token])
  const bad = openSource({ ask: q => (away ? refused() : chain.nodes.ask(q)), askEach: refused }, [chain.token])
  const common = { tokens: [chain.token], confirmations: 3, livemode: false, pollMs: 20 }
  const watch = watchChains(house.api, {
    chains: [
      { ...common, id: 31337, source: good },
      { ...common, id: 31338, source: bad },
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
    expect([...watch.troubles()]).toEqual([[31338, 'unreachable']])
    away = false
    await until(async () => watch.troubles().size === 0)
    expect(await house.sql`select from chain_cursors`).toHaveLength(2)
  } finally {
    await watch.stop()
  }
  const before = await house.sql`select * from chain_cursors order by chain_id`
  await chain.mine(5)
  await Bun.sleep(100)
  expect(await house.sql`select * from chain_cursors order by chain_id`).toEqual(before)
})
