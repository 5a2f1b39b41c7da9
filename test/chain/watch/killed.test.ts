import { expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { insertMerchant } from '../../access/keys.ts'
import { type ApiHouse, apiHouse } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { giveOut } from './ledger.ts'
import { testChain } from './node.ts'
import { startWatching } from './watcher.ts'

const KILLS = 10

const opened = async (house: ApiHouse, merchantId: string, token: string): Promise<MadePayment> => {
  const payment = await makePayment(house.api, { merchantId, livemode: false }, '')
  const pick = { address: payment.address, tokenAddress: token }
  await happen(house.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await giveOut(house.sql, payment)
  return payment
}

test(`a watcher killed ${KILLS} times in the middle loses no transfer and counts none twice`, async () => {
  await using house = await apiHouse({ routes: [] })
  await using chain = await testChain()
  const merchantId = await insertMerchant(house.sql)
  const many = await Promise.all(Array.from({ length: 60 }, () => opened(house, merchantId, chain.token)))
  const waiting = [...many]

  let watcher = await startWatching(house.databaseUrl, chain)
  await until(async () => (await house.sql`select from chain_cursors`).length === 1)
  for (let kills = 0; kills < KILLS; kills++) {
    for (const payment of waiting.splice(0, 6)) {
      await chain.pay(payment.address, 1000n)
      await chain.mine()
    }
    // Anywhere between finding a block and telling its payments.
    await Bun.sleep(5 + kills * 9)
    await watcher.kill()
    watcher = await startWatching(house.databaseUrl, chain)
  }
  await chain.mine(3)
  await until(async () => (await house.sql`select from payments where state = 'success'`).length === 60, {
    timeoutMs: 20_000,
  })
  await watcher.kill()
  const told = await house.sql<{ type: string; count: number }[]>`
    select type, count(*)::integer as count from events group by type order by type`
  expect(told.map(({ type, count }) => `${type} ${count}`)).toEqual([
    'payment.created 60',
    'payment.processing 60',
    'payment.succeeded 60',
  ])
  expect(await audit(house.sql, kinds)).toEqual([])
}, 90_000)
