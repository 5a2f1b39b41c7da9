import { expect, test } from 'bun:test'
import { settlePayments } from '../../src/chain/watch/settle.ts'
import { exportRoutes } from '../../src/http/exports/routes.ts'
import { issueAddress, openLedger } from '../chain/watch/ledger.ts'
import { exportCalls } from './export-calls.ts'
import { makePayment } from './payments.ts'
import { twoShops } from './two-shops.ts'

const shops = await twoShops({ routes: exportRoutes })
const { api, sql } = shops.server
const { get, records } = exportCalls(shops)
const ledger = await openLedger(sql)

test('a final payment is the same in every export, however many blocks follow', async () => {
  const payment = await makePayment(api, { merchantId: shops.lamps.merchantId, livemode: false }, 'picked')
  await issueAddress(sql, payment)
  await ledger.block([{ to: payment.address.toLowerCase(), amount: 400n }])
  await ledger.block([{ to: payment.address.toLowerCase(), amount: 600n }])
  await settlePayments(api)
  expect(await records('payments')).toMatchObject([{ crypto: { confirmations: 1 } }])
  for (let n = 0; n < 2; n++) await ledger.block()
  await settlePayments(api)
  await ledger.finalize()
  await settlePayments(api)
  const first = await get('payments.ndjson')
  expect(JSON.parse(first.text)).toMatchObject({
    status: 'success',
    crypto: { confirmations: 3, transfers: [{ confirmations: 4 }, { confirmations: 3 }] },
  })
  const sheet = await get('payments.csv')
  await ledger.block()
  expect((await get('payments.ndjson')).text).toBe(first.text)
  expect((await get('payments.csv')).text).toBe(sheet.text)
})
