import { expect, test } from 'bun:test'
import { readAccounts } from '../../../src/chain/watch/coins/looks.ts'
import { findUnsettled } from '../../../src/chain/watch/unsettled.ts'
import type { Sql } from '../../../src/postgres/connect.ts'
import { findShownPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { apiServer } from '../../harness/api.ts'
import { plansOf, waysTo } from '../../harness/plans.ts'
import { happen, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { giveOut, hashOf, openLedger } from './ledger.ts'

test('a house that has no statistics yet finds what a payment was sent without walking through what others were', async () => {
  await using house = await apiServer({ routes: [] })
  const { sql, api } = house
  const merchantId = await insertMerchant(sql)
  const payment = await makePayment(api, { merchantId, livemode: false }, '')
  await happen(api, payment.actor, { type: 'asset_picked', ...payments.events.pick, address: payment.address })
  await giveOut(sql, payment)
  const ledger = await openLedger(sql)
  await ledger.block([{ to: payment.address.toLowerCase(), amount: 7n }])
  await sql`
    insert into transfers (chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, to_address, amount, state)
    select 31337, ${hashOf('tx')}, n, 101, ${hashOf('block')}, now(), gen_random_uuid(), ${payment.address.toLowerCase()}, 1, 'seen'
    from generate_series(1, 300) n`
  await sql`delete from pg_statistic where starelid in ('transfers'::regclass, 'transfer_sums'::regclass)`

  const name = { id: payment.actor, merchantId, livemode: false }
  const unsettled = await plansOf(house.databaseUrl, async sql =>
    expect((await findUnsettled(sql, 10)).map(({ received }) => received.length)).toEqual([1]),
  )
  for (const index of ['transfer_sums_once', 'transfers_lost'])
    expect(unsettled).toMatch(new RegExp(`Index .*${index}`))
  expect(unsettled).not.toContain('transfers_of_payment')
  const looks: ((sql: Sql) => Promise<unknown>)[] = [
    async sql => [(await findShownPayment(sql, name))?.shown?.transfers.length],
    // Coins alone count as those that are known of them, and there are none.
    async sql =>
      (await readAccounts(sql, 31337, [payment.address.toLowerCase()], 101))?.accounts.map(a => 1 + a.known.length),
    async sql => [
      1 + (await sql`select where known_native_amount(31337, ${payment.address.toLowerCase()}, 0, 101) > 0`).length,
    ],
  ]
  for (const look of looks) {
    const plans = await plansOf(house.databaseUrl, async sql => expect(await look(sql)).toEqual([1]))
    expect(waysTo('transfers', plans)).toEqual(['transfers_of_payment'])
  }
})
