import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { callNode } from '../../src/sandbox/node-client.ts'
import { payFromWallet } from '../../src/sandbox/simulate/payer.ts'
import { type Look, type SimulationServer, simulationServer } from './simulations.ts'

let server: SimulationServer

beforeAll(async () => {
  server = await simulationServer()
})
afterAll(async () => {
  expect(await audit(server.server.sql, kinds)).toEqual([])
  await server[Symbol.asyncDispose]()
})

const created = ['created']
const processed = ['created', 'processing']
const succeeded = ['created', 'processing', 'succeeded']

const ends: readonly (readonly [string, 'TUSD' | 'ETH' | 'whatever', Partial<Look>])[] = [
  ['paid', 'whatever', { state: 'success', exception: null, attention: false, events: succeeded }],
  ['paid', 'ETH', { state: 'success', exception: null, attention: false, events: succeeded }],
  ['underpaid', 'whatever', { state: 'pending', exception: 'underpaid', events: ['created', 'underpaid'] }],
  ['underpaid', 'ETH', { state: 'pending', exception: 'underpaid', events: ['created', 'underpaid'] }],
  ['overpaid', 'TUSD', { state: 'success', exception: 'overpaid', attention: true, events: succeeded }],
  ['overpaid', 'ETH', { state: 'success', exception: 'overpaid', attention: true, events: succeeded }],
  ['late', 'TUSD', { state: 'success', attention: false, events: ['created', 'expired', 'succeeded'] }],
  ['late', 'ETH', { state: 'expired', exception: 'late', attention: true, events: ['created', 'expired', 'late'] }],
  ['wrong_asset', 'TUSD', { state: 'pending', exception: 'wrong_asset', attention: true, events: created }],
  ['wrong_asset', 'ETH', { state: 'pending', exception: 'wrong_asset', attention: true, events: created }],
  ['reverted', 'TUSD', { state: 'failed', failureReason: 'reverted', events: ['created', 'failed'] }],
  ['reverted', 'ETH', { state: 'failed', failureReason: 'reverted', events: ['created', 'failed'] }],
  ['reorged', 'whatever', { state: 'pending', exception: null, amountReceived: 0n, events: processed }],
  ['reorged', 'ETH', { state: 'pending', exception: null, amountReceived: 0n, events: processed }],
]

test.concurrent.each(ends)('%s, paid in %s, ends as documented', async (scenario, asset, end) => {
  const id = await server.open(asset === 'whatever' ? undefined : asset)
  const answer = await server.simulate(id, scenario)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  const { transactions } = answer.json as { transactions: string[] }
  expect(transactions).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)])
  const receipt = await callNode(server.sandbox.url, 'eth_getTransactionReceipt', transactions[0])
  if (scenario === 'reorged') expect(receipt).toBe(null)
  else expect(receipt).toMatchObject({ status: scenario === 'reverted' ? '0x0' : '0x1' })
  await server.becomes(id, end)
})

test.concurrent('half of an amount is half of what is left, and the rest pays in full', async () => {
  const id = await server.open('TUSD')
  const received: bigint[] = []
  for (const scenario of ['underpaid', 'underpaid', 'paid']) {
    expect((await server.simulate(id, scenario)).status).toBe(200)
    received.push((await server.look(id)).amountReceived)
  }
  expect(received).toEqual([5_000_000n, 7_500_000n, 10_000_000n])
  await server.becomes(id, { state: 'success', exception: null })
  expect(await server.simulate(id, 'paid')).toMatchObject({ status: 409, json: { error: { code: 'state_conflict' } } })
})

test('money that was sent but not read yet is no longer due', async () => {
  const id = await server.open('TUSD')
  const { address } = await server.look(id)
  const token = sandboxContracts.token as Hex
  await payFromWallet(server.sandbox.url, { token, to: address as Hex, amount: 5_000_000n })
  expect((await server.simulate(id, 'underpaid')).status).toBe(200)
  await server.becomes(id, { state: 'pending', amountReceived: 7_500_000n })
})

test.concurrent('a payment removed by a reorg has ten more minutes and can be paid again', async () => {
  const id = await server.open('TUSD', { windowMinutes: 5 })
  const before = await server.look(id)
  expect((await server.simulate(id, 'reorged')).status).toBe(200)
  const after = await server.look(id)
  expect(after.state).toBe('pending')
  expect(after.expiresAt.getTime() - before.expiresAt.getTime()).toBeGreaterThanOrEqual(5 * 60_000)
  expect((await server.simulate(id, 'paid')).status).toBe(200)
  await server.becomes(id, { state: 'success', amountFinal: 10_000_000n })
})
