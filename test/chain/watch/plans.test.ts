import { expect, test } from 'bun:test'
import { readAccounts } from '../../../src/chain/watch/native/balance-records.ts'
import { findUnsettled } from '../../../src/chain/watch/unsettled.ts'
import type { Sql } from '../../../src/postgres/connect.ts'
import { findMerchantsPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { apiServer } from '../../harness/api.ts'
import { plansOf, waysTo } from '../../harness/plans.ts'
import { happen, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { hashOf, issueAddress, openLedger } from './ledger.ts'

test('without statistics, the transfers of a payment are found by index', async () => {
  await using server = await apiServer({ routes: [] })
  const { sql, api } = server
  const merchantId = await insertMerchant(sql)
  const payment = await makePayment(api, { merchantId, livemode: false }, '')
  await happen(api, payment.actor, { type: 'asset_picked', ...payments.events.pick, address: payment.address })
  await issueAddress(sql, payment)
  const ledger = await openLedger(sql)
  await ledger.block([{ to: payment.address.toLowerCase(), amount: 7n }])
  await sql`
    insert into transfers (chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, to_address, amount, state)
    select 31337, ${hashOf('tx')}, n, 101, ${hashOf('block')}, now(), gen_random_uuid(), ${payment.address.toLowerCase()}, 1, 'seen'
    from generate_series(1, 300) n`
  await sql`delete from pg_statistic where starelid in ('transfers'::regclass, 'transfer_sums'::regclass)`

  const name = { id: payment.actor, merchantId, livemode: false }
  const unsettled = await plansOf(server.databaseUrl, async sql =>
    expect((await findUnsettled(sql, 10)).map(({ received }) => received.length)).toEqual([1]),
  )
  for (const index of ['transfer_sums_once', 'transfers_lost'])
    expect(unsettled).toMatch(new RegExp(`Index .*${index}`))
  expect(unsettled).not.toContain('transfers_of_payment')
  const queries: ((sql: Sql) => Promise<unknown>)[] = [
    async sql => [(await findMerchantsPayment(sql, name))?.shown?.transfers.length],
    // Only transfers of native currency count as known, and there are none.
    async sql =>
      (await readAccounts(sql, 31337, [payment.address.toLowerCase()], 101))?.accounts.map(a => 1 + a.known.length),
    async sql => [
      1 + (await sql`select where known_native_amount(31337, ${payment.address.toLowerCase()}, 0, 101) > 0`).length,
    ],
  ]
  for (const query of queries) {
    const plans = await plansOf(server.databaseUrl, async sql => expect(await query(sql)).toEqual([1]))
    expect(waysTo('transfers', plans)).toEqual(['transfers_of_payment'])
  }
})
