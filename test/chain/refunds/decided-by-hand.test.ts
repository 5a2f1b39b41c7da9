import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../../src/chain/known/sandbox.ts'
import { isTransactionUnknown } from '../../../src/chain/refunds/unknown-transaction.ts'
import { judgeRefund } from '../../../src/commands/refund-judgements.ts'
import { retryRefund } from '../../../src/commands/refund-transactions.ts'
import { dismissRefund } from '../../../src/commands/refunds.ts'
import type { RefundDoubt } from '../../../src/queries/refund-transactions.ts'
import { sandboxContracts } from '../../../src/sandbox/contracts.ts'
import { hashOf } from '../watch/ledger.ts'
import { customer, decide, openRefundFixtureOfFile } from './refund-fixture.ts'

const { server, fixture } = await openRefundFixtureOfFile()

const named = ({ id }: Actor<Refund>) => ({ id, merchantId: fixture.merchantId, livemode: undefined })
const decideByHand = (refund: Actor<Refund>, action: 'accept' | 'fail') =>
  judgeRefund(server.api, named(refund), { action, cause: 'usr_1' })
const retry = (refund: Actor<Refund>) => {
  const chains = connectChains([sandboxChain(sandboxContracts)], () => [fixture.chain.url], server.api)
  const isGone = (found: Actor<Refund>) => isTransactionUnknown({ sql: server.sql, chains }, found)
  return retryRefund(server.api, named(refund), 'usr_1', isGone).finally(() => chains.close())
}
const summaryOf = async (refund: Actor<Refund>) => {
  const { attention } = (await fixture.find(refund.id)).context
  return { ...(await fixture.summaryOf(refund)), attention }
}
const conflict = (status: string) => ({ code: 'state_conflict', because: { details: { status } } })

let hashes = 0
/** A refund whose transaction has been undecided for a day. */
const createUndecided = async (doubt: RefundDoubt, more: { native?: boolean } = {}) => {
  const refund = await fixture.createRefund(more)
  await fixture.apply(refund, { type: 'transaction_sent', txHash: hashOf('doubted', String(++hashes)) })
  await server.sql`
    update refund_looks set doubt = ${doubt}, person_from = now(), next_look_at = now() + interval '1 day'
    where refund_id = ${refund.id}`
  return refund
}

const doubts: readonly RefundDoubt[] = ['nodes_disagree', 'balance_unknown', 'balance_unclear', 'possibly_earlier']

test.each(doubts.map(doubt => [doubt] as const))(
  '%s: a person decides that the money arrived, or that it did not',
  async doubt => {
    const [came, didNot] = [await createUndecided(doubt), await createUndecided(doubt)]
    expect((await decideByHand(came, 'accept')).state).toBe('processed')
    expect(await summaryOf(came)).toMatchObject({ attention: false, reserved: 1000, refunded: 1000 })
    expect((await decideByHand(didNot, 'fail')).state).toBe('failed')
    expect(await summaryOf(didNot)).toMatchObject({
      ...{ failureReason: 'unproven', attention: true, reserved: 0, refunded: 0, events: ['refund.failed'] },
    })
  },
)

test('a refund that a person failed can be signed again after it is dismissed', async () => {
  const refund = await createUndecided('balance_unclear')
  await decideByHand(refund, 'fail')
  await expect(retry(refund)).rejects.toMatchObject({ code: 'state_conflict' })
  await dismissRefund(server.api, named(refund), 'usr_1')
  expect((await retry(refund)).state).toBe('requires_signature')
  expect(await summaryOf(refund)).toMatchObject({ reserved: 1000 })
})

test('a refund that a person failed can be accepted later', async () => {
  const refund = await createUndecided('balance_unclear')
  await decideByHand(refund, 'fail')
  expect((await decideByHand(refund, 'accept')).state).toBe('processed')
  expect(await summaryOf(refund)).toMatchObject({
    failureReason: null,
    attention: false,
    reserved: 1000,
    refunded: 1000,
  })
})

test('a refund cannot be accepted or failed by hand before the chain has had a day to decide it', async () => {
  const waits = await fixture.createRefund()
  await expect(decideByHand(waits, 'accept')).rejects.toMatchObject(conflict('requires_signature'))
  await fixture.apply(waits, { type: 'transaction_sent', txHash: hashOf('sent') })
  const soon = await createUndecided('nodes_disagree')
  await server.sql`update refund_looks set person_from = now() + interval '1 minute' where refund_id = ${soon.id}`
  for (const each of [waits, soon, await createUndecided('transaction_unknown')])
    for (const action of ['accept', 'fail'] as const)
      await expect(decideByHand(each, action)).rejects.toMatchObject(conflict('processing'))
})

test('of twenty parallel decisions one takes effect, on the refund and its payment alike', async () => {
  const refund = await createUndecided('balance_unclear')
  const decisions = Array.from({ length: 20 }, (_, n) => decideByHand(refund, n % 2 === 0 ? 'accept' : 'fail'))
  const accepted = (await Promise.allSettled(decisions)).filter(({ status }) => status === 'fulfilled')
  const seen = await summaryOf(refund)
  // A failed refund may be accepted by a later request.
  expect(accepted.length).toBeLessThanOrEqual(2)
  const isPaid = seen.state === 'processed'
  expect(seen).toMatchObject(isPaid ? { reserved: 1000, refunded: 1000 } : { reserved: 0, refunded: 0 })
})

/** A refund whose own transaction paid too little. */
const tooLittle = async () => {
  const refund = await fixture.createRefund()
  await fixture.apply(refund, { type: 'transaction_sent', txHash: await fixture.chain.pay(customer, 999n) })
  await fixture.finalizeAll()
  await decide(server, fixture.chainOf())
  expect(await summaryOf(refund)).toMatchObject({ state: 'failed', attention: true, reserved: 0 })
  return refund
}

test('a refund whose own transaction moved other money can be accepted for its full amount', async () => {
  const refund = await tooLittle()
  await expect(decideByHand(refund, 'fail')).rejects.toMatchObject(conflict('failed'))
  const said = await Promise.allSettled(Array.from({ length: 5 }, () => decideByHand(refund, 'accept')))
  expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await summaryOf(refund)).toMatchObject({
    state: 'processed',
    attention: false,
    reserved: 1000,
    refunded: 1000,
  })
})

test('a failed refund cannot be accepted after it is dismissed, for money of another refund, or beyond the rest of its payment', async () => {
  const refund = await tooLittle()
  const reserve = { type: 'reserve_refund', amountMinor: refund.context.amountMinor }
  const payment = { kind: 'payment', actor: refund.context.paymentId }
  await server.api.actors.dispatch({ ...payment, event: reserve })
  await expect(decideByHand(refund, 'accept')).rejects.toMatchObject({ code: 'refund_exceeds_remaining' })
  expect(await summaryOf(refund)).toMatchObject({ state: 'failed', attention: true })
  await server.api.actors.dispatch({ ...payment, event: { ...reserve, type: 'release_refund' } })
  await dismissRefund(server.api, named(refund), 'usr_1')
  await expect(decideByHand(refund, 'accept')).rejects.toMatchObject(conflict('failed'))
  await fixture.apply(refund, { type: 'stray_transfer_seen', txHash: hashOf('of another') })
  await expect(decideByHand(refund, 'accept')).rejects.toMatchObject(conflict('failed'))
  await dismissRefund(server.api, named(refund), 'usr_1')
})

test('a refund with a hash that no node knows is signed again by hand, with its reservation kept', async () => {
  const refund = await fixture.createRefund({ native: true })
  await fixture.apply(refund, { type: 'transaction_sent', txHash: `0x${'ee'.repeat(32)}` })
  expect((await retry(refund)).state).toBe('requires_signature')
  expect(await summaryOf(refund)).toMatchObject({ txHash: null, reserved: 1000, events: [] })
  const waits = await server.sql`select from signing_waits where refund_id = ${refund.id} and reason = 'by_hand'`
  expect(waits).toHaveLength(1)
})

test('a refund with a pending transaction is not signed again, and a dropped transaction that returns pays it', async () => {
  const refund = await fixture.createRefund()
  const hash = await fixture.chain.pay(customer, 1000n)
  const bytes = await fixture.chain.rpc<string>('eth_getRawTransactionByHash', hash)
  await fixture.apply(refund, { type: 'transaction_sent', txHash: hash })
  await expect(retry(refund)).rejects.toMatchObject(conflict('processing'))
  await fixture.chain.rpc('anvil_dropTransaction', hash)
  expect((await retry(refund)).state).toBe('requires_signature')
  await fixture.chain.rpc('eth_sendRawTransaction', bytes)
  await fixture.chain.mine()
  await fixture.read()
  await server.sql`update noticed_transfers set next_look_at = now()`
  await decide(server, fixture.chainOf())
  await fixture.finalizeAll()
  await decide(server, fixture.chainOf())
  expect(await summaryOf(refund)).toMatchObject({ state: 'processed', txHash: hash, attention: false })
})
