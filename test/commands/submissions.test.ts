import { afterAll, beforeAll, expect, test } from 'bun:test'
import { submitTransaction } from '../../src/commands/submissions.ts'
import { findPayment } from '../../src/queries/payments.ts'
import { insertMerchant } from '../access/keys.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { makePayment } from '../http/payments.ts'

let server: ApiServer
let merchantId: string

beforeAll(async () => {
  server = await apiServer({ routes: [] })
  merchantId = await insertMerchant(server.sql)
})
afterAll(() => server[Symbol.asyncDispose]())

const opened = async (path: string) => {
  const { actor } = await makePayment(server.api, { merchantId, livemode: false }, path)
  const look = async () => {
    const payment = await findPayment(server.sql, { id: actor, merchantId, livemode: false })
    if (!payment) throw new Error('the payment is missing')
    return payment
  }
  const kept = async () => {
    const rows = await server.sql<{ hash: string }[]>`
      select tx_hash as hash from submissions where payment_id = ${actor} order by tx_hash`
    return rows.map(({ hash }) => hash)
  }
  return { look, kept, submit: async (hash: string) => submitTransaction(server.api, await look(), hash) }
}

const hashOf = (n: number) => `0x${n.toString(16).padStart(64, 'a')}`

test('a hash is stored once in any spelling, and does not change the payment', async () => {
  const { submit, look, kept } = await opened('pick')
  const before = await look()
  await submit(hashOf(1))
  await submit(`0x${hashOf(1).slice(2).toUpperCase()}`)
  expect(await kept()).toEqual([hashOf(1)])
  expect(await look()).toEqual(before)
})

test('of twenty simultaneous different hashes ten are stored, and those can be submitted again', async () => {
  const { submit, kept } = await opened('pick')
  const hashes = Array.from({ length: 20 }, (_, n) => hashOf(n))
  const outcomes = await Promise.allSettled(hashes.map(submit))
  const refused = outcomes.filter(outcome => outcome.status === 'rejected').map(({ reason }) => reason.code)
  expect(refused).toEqual(Array(10).fill('state_conflict'))
  const before = await kept()
  expect(before).toHaveLength(10)
  await Promise.all(before.map(submit))
  expect(await kept()).toEqual(before)
})

test('for a payment that has ended or has no chain yet, nothing is stored', async () => {
  for (const path of ['', 'pick, over', 'pick, see 1000, all 1000 final']) {
    const { submit, kept } = await opened(path)
    await submit(hashOf(1))
    expect(await kept()).toEqual([])
  }
})
