import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { logDueRefundAttention } from '../../../src/chain/refunds/attention-log.ts'
import { encodeId } from '../../../src/ids.ts'
import { readBacklog } from '../../../src/queries/backlog.ts'
import { noFilter } from '../../../src/queries/list-filters.ts'
import { listRefunds } from '../../../src/queries/refunds.ts'
import { readableLog } from '../../harness/lines.ts'
import { hashOf } from '../watch/ledger.ts'
import { changedNode } from '../watch/test-node.ts'
import { customer, decide, openRefundFixtureOfFile } from './refund-fixture.ts'

const { server, fixture } = await openRefundFixtureOfFile()

const SANDBOX = 31337
const page = { after: undefined, limit: 100, order: 'asc' } as const

/** The refunds that are listed, and what is logged by two parallel checks and one more. */
const waiting = async (chainsOn: readonly number[] = [SANDBOX]) => {
  const { log, lines } = readableLog()
  const processes = [1, 2].map(() => logDueRefundAttention({ sql: server.sql, log }, chainsOn))
  await Promise.all(processes)
  await logDueRefundAttention({ sql: server.sql, log }, chainsOn)
  const filter = { ...noFilter, paymentId: undefined, attention: { chainsOn } }
  const listed = await listRefunds(server.sql, { merchantId: fixture.merchantId, livemode: false }, filter, page)
  expect((await readBacklog(server.sql, chainsOn)).refundsWithAttention).toBe(listed.length)
  return {
    listed: listed.map(({ id }) => id),
    logged: lines().map(({ refund, why, level }) => ({ refund, why, level })),
  }
}
const warned = ({ id }: Actor<Refund>, why: string) => ({ refund: encodeId('re', id), why, level: 40 })
const none = { listed: [], logged: [] }

const inADay = ({ id }: Actor<Refund>) =>
  server.sql`update refund_looks set person_from = person_from - interval '1 day' where refund_id = ${id}`
const cancel = (refund: Actor<Refund>) =>
  server.api.actors.dispatchBundle([
    { kind: 'refund', actor: refund.id, event: { type: 'cancel' } },
    {
      ...{ kind: 'payment', actor: refund.context.paymentId },
      event: { type: 'release_refund', amountMinor: refund.context.amountMinor },
    },
  ])

test('an expired claim needs attention until the refund is canceled', async () => {
  const refund = await fixture.createRefund({ destination: null })
  expect(await waiting()).toEqual(none)
  await server.sql`
    insert into refund_claims (id, secret_hash, sealed_secret, expires_at)
    values (${refund.id}, sha256('x'), '', now())
    on conflict (id) do update set expires_at = now()`
  expect(await waiting()).toEqual({ listed: [refund.id], logged: [warned(refund, 'claim_expired')] })
  expect(await waiting()).toEqual({ listed: [refund.id], logged: [] })
  expect((await cancel(refund)).ok).toBe(true)
  expect(await waiting()).toEqual(none)
})

test('a transaction unknown to all nodes for a day needs attention until it is known or replaced', async () => {
  const refund = await fixture.createRefund()
  const hash = hashOf('mistyped', refund.id)
  await fixture.apply(refund, { type: 'transaction_sent', txHash: hash })
  const check = () => decide(server, fixture.chainOf())
  await check()
  expect(await waiting()).toEqual(none)
  await inADay(refund)
  expect(await waiting()).toEqual({ listed: [refund.id], logged: [warned(refund, 'transaction_unknown')] })
  await check()
  expect((await waiting()).listed).toEqual([refund.id])

  const sent = await fixture.chain.pay(customer, 1000n)
  await fixture.apply(refund, { type: 'transaction_replaced', txHash: sent, instead: hash })
  expect(await waiting()).toEqual(none)
  await fixture.finalizeAll()
  await check()
  expect((await fixture.summaryOf(refund)).state).toBe('processed')
})

test('a transaction that was unknown and is pending now needs no attention', async () => {
  const refund = await fixture.createRefund()
  const raw = await fixture.chain.pay(customer, 1000n)
  const bytes = await fixture.chain.rpc<string>('eth_getRawTransactionByHash', raw)
  await fixture.chain.rpc('anvil_dropTransaction', raw)
  await fixture.apply(refund, { type: 'transaction_sent', txHash: raw })
  await decide(server, fixture.chainOf())
  await inADay(refund)
  expect((await waiting()).listed).toEqual([refund.id])
  await fixture.chain.rpc('eth_sendRawTransaction', bytes)
  await decide(server, fixture.chainOf())
  expect(await waiting()).toEqual(none)
  await fixture.finalizeAll()
  await decide(server, fixture.chainOf())
  expect((await fixture.summaryOf(refund)).state).toBe('processed')
})

test('a transaction on which two nodes disagree for a day needs attention', async () => {
  await using wrongNode = await changedNode(fixture.chain.url, ({ method }, answer) =>
    method === 'eth_getTransactionReceipt' ? { ...(answer as object), status: '0x0' } : answer,
  )
  const refund = await fixture.createRefund()
  await fixture.apply(refund, { type: 'transaction_sent', txHash: await fixture.chain.pay(customer, 1000n) })
  await fixture.finalizeAll()
  const check = (...more: string[]) => decide(server, fixture.chainOf(fixture.chain.url, ...more))
  await check(wrongNode.url)
  expect(await waiting()).toEqual(none)
  await inADay(refund)
  await check(wrongNode.url)
  expect(await waiting()).toEqual({ listed: [refund.id], logged: [warned(refund, 'nodes_disagree')] })
  await check()
  expect(await waiting()).toEqual(none)
})

test('refunds on a chain that is not enabled need attention, and again each time it is disabled', async () => {
  const refunds = [
    await fixture.createRefund({ destination: null }),
    await fixture.createRefund(),
    await fixture.createRefund(),
  ]
  const [claimed, , sent] = refunds
  if (!claimed || !sent) throw new Error('there are no refunds')
  await fixture.apply(sent, { type: 'transaction_sent', txHash: hashOf('sent', sent.id) })
  const over = await fixture.createRefund({ destination: null })
  await cancel(over)
  expect(await waiting()).toEqual(none)
  for (let n = 0; n < 2; n++) {
    const { listed, logged } = await waiting([1])
    expect(listed.sort()).toEqual(refunds.map(({ id }) => id).sort())
    expect(logged).toHaveLength(3)
    expect(logged).toEqual(expect.arrayContaining(refunds.map(each => warned(each, 'chain_off'))))
    expect(await waiting()).toEqual(none)
  }
})

test('an unexpected transfer is listed, and logged only by the process that found it', async () => {
  const refund = await fixture.createRefund({ destination: null })
  await cancel(refund)
  await fixture.apply(refund, { type: 'stray_transfer_seen', txHash: hashOf('stray') })
  expect(await waiting()).toEqual({ listed: [refund.id], logged: [] })
  await fixture.apply(refund, { type: 'dismiss' })
  expect(await waiting()).toEqual(none)
})
