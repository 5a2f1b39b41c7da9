import { afterAll, beforeAll, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { callNode } from '../../src/sandbox/node-client.ts'
import { until } from '../harness/until.ts'
import { type SimulationServer, simulationServer } from '../http/simulations.ts'

let instance: SimulationServer

beforeAll(async () => {
  instance = await simulationServer()
})
afterAll(async () => {
  expect(await audit(instance.server.sql, kinds)).toEqual([])
  await instance[Symbol.asyncDispose]()
})

type Shown = {
  id: string
  status: string
  crypto: { txHash: string; amount: string }
  destination: string
  unsignedTransaction: unknown
}

const refund = async (paymentId: string, json: object): Promise<Shown> => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const path = `/v1/payments/${paymentId}/refunds`
  const answer = await instance.server.call('POST', path, { bearer: instance.key, json, headers })
  expect(answer).toMatchObject({ status: 201, json: { unsignedTransaction: null } })
  return answer.json as Shown
}
const find = async (id: string): Promise<Shown> => {
  const shown = (await instance.server.call('GET', `/v1/refunds/${id}`, { bearer: instance.key })).json as Shown
  // A person who sent it too would pay twice.
  expect(shown.unsignedTransaction).toBe(null)
  return shown
}

const at = (digit: string) => `0x${digit.repeat(40)}`

test.concurrent.each(['TUSD', 'ETH'] as const)(
  'refunds of a payment in %s are signed and processed automatically, and pay their exact amount',
  async asset => {
    const payment = await instance.open(asset)
    await instance.simulate(payment, 'paid')
    await instance.becomes(payment, { state: 'success' })
    const [to, other] = asset === 'TUSD' ? [at('1'), at('2')] : [at('3'), at('4')]
    const made = await Promise.all([
      refund(payment, { destination: to, amountMinor: 300 }),
      refund(payment, { destination: other, amountMinor: 200 }),
    ])
    for (const { id, crypto, destination } of made) {
      await until(async () => (await find(id)).status === 'processed', { everyMs: 100 })
      const token = instance.sandbox.contracts.token
      const held =
        asset === 'ETH'
          ? await callNode(instance.sandbox.url, 'eth_getBalance', destination, 'latest')
          : await callNode(instance.sandbox.url, 'eth_call', {
              to: token,
              data: `0x70a08231${destination.slice(2).padStart(64, '0')}`,
            })
      expect(BigInt(String(held))).toBe(BigInt(crypto.amount))
    }
  },
)
