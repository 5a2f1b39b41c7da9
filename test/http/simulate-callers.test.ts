import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import { routes } from '../../src/http/routes.ts'
import { decodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import { findPayment } from '../../src/queries/payments.ts'
import { callNode } from '../../src/sandbox/node-client.ts'
import { simulate } from '../../src/sandbox/simulate/simulate.ts'
import { insertKey } from '../access/keys.ts'
import { anvil } from '../harness/anvil.ts'
import { apiServer, type Called } from '../harness/api.ts'
import { makePayment } from './payments.ts'
import { shop } from './people.ts'
import { type SimulationServer, simulationServer } from './simulations.ts'

let server: SimulationServer

beforeAll(async () => {
  server = await simulationServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const codeOf = ({ status, json }: Called) => [status, (json as { error?: { code: string } }).error?.code]
const hashesIn = ({ json }: Called) => (json as { transactions: string[] }).transactions

const transfersOf = async (id: string): Promise<string[]> => {
  const rows = await server.server.sql<{ hash: string }[]>`
    select tx_hash as hash from transfers where payment_id = ${decodeId('pay', id) ?? ''} and state <> 'orphaned'`
  return rows.map(({ hash }) => hash)
}

describe.concurrent('refused is', () => {
  const calling = (id: string, bearer: string, json: object = { scenario: 'paid' }) =>
    server.server.call('POST', `/v1/sandbox/payments/${id}/simulate`, { bearer, json })

  test('a key without full access, and a live key', async () => {
    const id = await server.open()
    const { merchantId } = server.shop
    const scopes = ['payments:read', 'payment_links:write', 'refunds:write', 'disputes:write']
    const some = await insertKey(server.server.sql, { merchantId, scopes })
    const live = await insertKey(server.server.sql, { merchantId, livemode: true })
    const liveAndSome = await insertKey(server.server.sql, { merchantId, livemode: true, scopes })
    expect(codeOf(await calling(id, some.secret))).toEqual([403, 'insufficient_scope'])
    expect(codeOf(await calling(id, live.secret))).toEqual([403, 'sandbox_only'])
    expect(codeOf(await calling(id, liveAndSome.secret))).toEqual([403, 'insufficient_scope'])
  })

  test('a payment of another merchant, and an unknown one', async () => {
    const other = await shop(server.server.api, 'Chairs')
    const key = await insertKey(server.server.sql, { merchantId: other.merchantId })
    expect(codeOf(await calling(await server.open(), key.secret))).toEqual([404, 'resource_not_found'])
    expect(codeOf(await calling('pay_x', server.key))).toEqual([404, 'resource_not_found'])
  })

  test('an unknown scenario', async () => {
    const id = await server.open()
    for (const json of [{ scenario: 'rich' }, { scenario: null }, { scenario: ['paid'] }])
      expect(codeOf(await calling(id, server.key, json))).toEqual([400, 'parameter_invalid'])
    expect(codeOf(await calling(id, server.key, {}))).toEqual([400, 'parameter_missing'])
    expect(codeOf(await calling(id, server.key, { scenario: 'paid', amount: 1 }))).toEqual([400, 'parameter_unknown'])
  })

  test('a payment whose state does not allow it, or of another chain', async () => {
    const { api } = server.server
    const whose = { merchantId: server.shop.merchantId, livemode: false }
    const made = async (situation: string) => (await makePayment(api, whose, situation)).id
    for (const situation of ['processing', 'success', 'expired', 'failed', 'canceled'])
      expect(codeOf(await calling(await made(situation), server.key))).toEqual([409, 'state_conflict'])
    const id = await made('little')
    expect(codeOf(await calling(id, server.key, { scenario: 'reverted' }))).toEqual([409, 'state_conflict'])
    const elsewhere = await made('picked')
    await api.sql`update payments set chain_id = 11155111 where id = ${decodeId('pay', elsewhere) ?? ''}`
    expect(codeOf(await calling(elsewhere, server.key))).toEqual([409, 'state_conflict'])
  })

  test('everything without a sandbox', async () => {
    await using bare = await apiServer({ routes })
    const { merchantId } = await shop(bare.api)
    const { secret: bearer } = await insertKey(bare.sql, { merchantId })
    const { id } = await makePayment(bare.api, { merchantId, livemode: false }, 'picked')
    const path = `/v1/sandbox/payments/${id}/simulate`
    const answer = await bare.call('POST', path, { bearer, json: { scenario: 'paid' } })
    expect(codeOf(answer)).toEqual([503, 'chain_unavailable'])
  })
})

test.concurrent('the same request with an idempotency key pays once, at the same time and afterwards', async () => {
  const id = await server.open()
  const headers = { 'idempotency-key': 'pay it' }
  const both = await Promise.all([server.simulate(id, 'underpaid', headers), server.simulate(id, 'underpaid', headers)])
  const again = await server.simulate(id, 'underpaid', headers)
  const [done] = both.filter(({ status }) => status === 200)
  for (const answer of both) if (answer.status !== 200) expect(codeOf(answer)).toEqual([409, 'idempotency_key_in_use'])
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([done?.text ?? '', 'true'])
  expect(codeOf(await server.simulate(id, 'paid', headers))).toEqual([422, 'idempotency_key_reused'])
  expect(await transfersOf(id)).toEqual(hashesIn(again))
})

test.concurrent('of two simultaneous scenarios of one payment one is refused and pays nothing', async () => {
  const id = await server.open()
  const answers = await Promise.all([server.simulate(id, 'paid'), server.simulate(id, 'paid')])
  expect(answers.map(codeOf).sort()).toEqual([
    [200, undefined],
    [409, 'state_conflict'],
  ])
  expect(await transfersOf(id)).toHaveLength(1)
})

test.concurrent('twenty simultaneous simulations of two processes pay one payment each', async () => {
  // The second process has its own connections, actors and chain client.
  const sql = connect(server.server.databaseUrl, { max: 4 })
  try {
    const outside = { ...server.server.api, sql }
    const other = { ...outside, actors: await openActors(outside, kinds) }
    const byOther = async (id: string): Promise<readonly string[]> => {
      const name = { id: decodeId('pay', id) ?? '', merchantId: server.shop.merchantId, livemode: false }
      const payment = await findPayment(sql, name)
      if (!payment) throw new Error('the payment is missing')
      return simulate(other, payment, { scenario: 'paid', cause: 'test', idempotencyKey: null })
    }
    const assets = Array.from({ length: 20 }, (_, n) => (n % 3 === 0 ? 'ETH' : 'TUSD'))
    const ids = await Promise.all(assets.map(asset => server.open(asset)))
    const paid = await Promise.all(
      ids.map(async (id, n) => (n % 2 === 0 ? byOther(id) : hashesIn(await server.simulate(id, 'paid')))),
    )
    expect(new Set(paid.flat()).size).toBe(20)
    for (const id of ids) await server.becomes(id, { state: 'success', exception: null })
    for (const [n, id] of ids.entries()) expect(await transfersOf(id)).toEqual([...(paid[n] ?? [])])
    await other.actors.idle()
  } finally {
    await sql.end({ timeout: 1 })
  }
})

test.concurrent('a node without support for reorgs is reported before anything is sent', async () => {
  await using node = await anvil({ mining: 'none' })
  using proxy = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: async request => {
      const body = await request.text()
      if (body.includes('anvil_reorg'))
        return Response.json({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no such method' } })
      return fetch(node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    },
  })
  await using remote = await simulationServer(`http://127.0.0.1:${proxy.port}`)
  const id = await remote.open('TUSD')
  const answer = await remote.simulate(id, 'reorged')
  expect(codeOf(answer)).toEqual([503, 'chain_unavailable'])
  expect(answer.text).toContain('does not support reorganizations')
  expect((await remote.simulate(id, 'paid')).status).toBe(200)
  await remote.becomes(id, { state: 'success' })
  // No payment here is in a native currency, so no block is searched for transfers.
  const inCoins = await remote.open('TUSD')
  expect((await remote.simulate(inCoins, 'wrong_asset')).status).toBe(200)
  await remote.becomes(inCoins, { state: 'pending', exception: 'wrong_asset', attention: true })
})

// Not beside other tests: each of their payments is mined, and three blocks make the removed payment final.
test('a simulated reorg keeps the transactions of others, whenever they were sent', async () => {
  const { url } = server.sandbox
  const from = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65'
  const sent: string[] = []
  let reorganized = false
  // Sent all the time, so that some are in the removed blocks.
  const wallet = (async () => {
    while (!reorganized) {
      sent.push(String(await callNode(url, 'eth_sendTransaction', { from, to: from, gas: '0x5208' })))
      await Bun.sleep(150)
    }
  })()
  const [dropped, beside] = [await server.open(), await server.open()]
  const [answer, other] = await Promise.all([
    server.simulate(dropped, 'reorged').finally(() => {
      reorganized = true
    }),
    server.simulate(beside, 'paid'),
  ])
  await wallet
  expect([answer.status, other.status]).toEqual([200, 200])
  await callNode(url, 'evm_mine')
  expect(sent.length).toBeGreaterThan(3)
  const receipts = await Promise.all(sent.map(hash => callNode(url, 'eth_getTransactionReceipt', hash)))
  expect(receipts.filter(receipt => receipt === null)).toEqual([])
  expect(await callNode(url, 'eth_getTransactionReceipt', hashesIn(answer)[0])).toBe(null)
  await server.becomes(beside, { state: 'success' })
  expect((await server.look(dropped)).state).toBe('pending')
})
