import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { logDueRefundAttention } from '../../../src/chain/refunds/attention-log.ts'
import { encodeId } from '../../../src/ids.ts'
import { readBacklog } from '../../../src/queries/backlog.ts'
import { listRefunds } from '../../../src/queries/refunds.ts'
import { readableLog } from '../../harness/lines.ts'
import { hashOf } from '../watch/ledger.ts'
import { through } from '../watch/node.ts'
import { customer, decide, houseOfFile } from './refund-house.ts'

const { house, on } = await houseOfFile()

const SANDBOX = 31337
const page = { after: undefined, limit: 100, order: 'asc' } as const

/** Who is listed, how many are counted, and what is logged by two processes at once, and once more. */
const waiting = async (chainsOn: readonly number[] = [SANDBOX]) => {
  const { log, lines } = readableLog()
  const processes = [1, 2].map(() => logDueRefundAttention({ sql: house.sql, log }, chainsOn))
  await Promise.all(processes)
  await logDueRefundAttention({ sql: house.sql, log }, chainsOn)
  const filter = { status: undefined, paymentId: undefined, attention: { chainsOn } }
  const listed = await listRefunds(house.sql, { merchantId: on.merchantId, livemode: false }, filter, page)
  expect((await readBacklog(house.sql, chainsOn)).refundsWithAttention).toBe(listed.length)
  return { listed: listed.map(({ id }) => id), told: lines().map(({ refund, why, level }) => ({ refund, why, level })) }
}
const warned = ({ id }: Actor<Refund>, why: string) => ({ refund: encodeId('re', id), why, level: 40 })
const nobody = { listed: [], told: [] }

const inADay = ({ id }: Actor<Refund>) =>
  house.sql`update refund_looks set person_from = person_from - interval '1 day' where refund_id = ${id}`
const cancel = (refund: Actor<Refund>) =>
  house.api.actors.dispatchBundle([
    { kind: 'refund', actor: refund.id, event: { type: 'cancel' } },
    {
      ...{ kind: 'payment', actor: refund.context.paymentId },
      event: { type: 'release_refund', amountMinor: refund.context.amountMinor },
    },
  ])

test('a claim that has expired: until the refund is canceled', async () => {
  const refund = await on.made({ destination: null })
  expect(await waiting()).toEqual(nobody)
  await house.sql`
    insert into refund_claims (id, secret_hash, sealed_secret, expires_at)
    values (${refund.id}, sha256('x'), '', now())
    on conflict (id) do update set expires_at = now()`
  expect(await waiting()).toEqual({ listed: [refund.id], told: [warned(refund, 'claim_expired')] })
  expect(await waiting()).toEqual({ listed: [refund.id], told: [] })
  expect((await cancel(refund)).ok).toBe(true)
  expect(await waiting()).toEqual(nobody)
})

test('a transaction that no node has known for a day: until one does, or another is named', async () => {
  const refund = await on.made()
  const hash = hashOf('mistyped', refund.id)
  await on.happen(refund, { type: 'transaction_sent', txHash: hash })
  const look = () => decide(house, on.chainOf())
  await look()
  expect(await waiting()).toEqual(nobody)
  await inADay(refund)
  expect(await waiting()).toEqual({ listed: [refund.id], told: [warned(refund, 'transaction_unknown')] })
  await look()
  expect((await waiting()).listed).toEqual([refund.id])

  const sent = await on.chain.pay(customer, 1000n)
  await on.happen(refund, { type: 'transaction_replaced', txHash: sent, instead: hash })
  expect(await waiting()).toEqual(nobody)
  await on.bury()
  await look()
  expect((await on.look(refund)).state).toBe('processed')
})

test('a transaction that was nowhere and waits to be mined now is nothing to look at', async () => {
  const refund = await on.made()
  const raw = await on.chain.pay(customer, 1000n)
  const bytes = await on.chain.rpc<string>('eth_getRawTransactionByHash', raw)
  await on.chain.rpc('anvil_dropTransaction', raw)
  await on.happen(refund, { type: 'transaction_sent', txHash: raw })
  await decide(house, on.chainOf())
  await inADay(refund)
  expect((await waiting()).listed).toEqual([refund.id])
  await on.chain.rpc('eth_sendRawTransaction', bytes)
  await decide(house, on.chainOf())
  expect(await waiting()).toEqual(nobody)
  await on.bury()
  await decide(house, on.chainOf())
  expect((await on.look(refund)).state).toBe('processed')
})

test('what two nodes do not agree on for a day', async () => {
  await using liar = await through(on.chain.url, ({ method }, answer) =>
    method === 'eth_getTransactionReceipt' ? { ...(answer as object), status: '0x0' } : answer,
  )
  const refund = await on.made()
  await on.happen(refund, { type: 'transaction_sent', txHash: await on.chain.pay(customer, 1000n) })
  await on.bury()
  const look = (...more: string[]) => decide(house, on.chainOf(on.chain.url, ...more))
  await look(liar.url)
  expect(await waiting()).toEqual(nobody)
  await inADay(refund)
  await look(liar.url)
  expect(await waiting()).toEqual({ listed: [refund.id], told: [warned(refund, 'nodes_disagree')] })
  await look()
  expect(await waiting()).toEqual(nobody)
})

test('a chain that is switched off: until it is on again, and once more when it is off again', async () => {
  const refunds = [await on.made({ destination: null }), await on.made(), await on.made()]
  const [claimed, , sent] = refunds
  if (!claimed || !sent) throw new Error('there are no refunds')
  await on.happen(sent, { type: 'transaction_sent', txHash: hashOf('sent', sent.id) })
  const over = await on.made({ destination: null })
  await cancel(over)
  expect(await waiting()).toEqual(nobody)
  for (let n = 0; n < 2; n++) {
    const { listed, told } = await waiting([1])
    expect(listed.sort()).toEqual(refunds.map(({ id }) => id).sort())
    expect(told).toHaveLength(3)
    expect(told).toEqual(expect.arrayContaining(refunds.map(each => warned(each, 'chain_off'))))
    expect(await waiting()).toEqual(nobody)
  }
})

test('a transfer that nobody waits for is told by who has seen it, and listed', async () => {
  const refund = await on.made({ destination: null })
  await cancel(refund)
  await on.happen(refund, { type: 'stray_transfer_seen', txHash: hashOf('stray') })
  expect(await waiting()).toEqual({ listed: [refund.id], told: [] })
  await on.happen(refund, { type: 'dismiss' })
  expect(await waiting()).toEqual(nobody)
})
