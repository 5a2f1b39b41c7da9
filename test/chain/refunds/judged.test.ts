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
import { customer, decide, houseOfFile } from './refund-house.ts'

const { house, on } = await houseOfFile()

const named = ({ id }: Actor<Refund>) => ({ id, merchantId: on.merchantId, livemode: undefined })
const judge = (refund: Actor<Refund>, action: 'accept' | 'fail') =>
  judgeRefund(house.api, named(refund), { action, cause: 'usr_1' })
const retry = (refund: Actor<Refund>) => {
  const chains = connectChains([sandboxChain(sandboxContracts)], () => [on.chain.url], house.api)
  const isGone = (found: Actor<Refund>) => isTransactionUnknown({ sql: house.sql, chains }, found)
  return retryRefund(house.api, named(refund), 'usr_1', isGone).finally(() => chains.close())
}
const look = async (refund: Actor<Refund>) => {
  const { attention } = (await on.find(refund.id)).context
  return { ...(await on.look(refund)), attention }
}
const conflict = (status: string) => ({ code: 'state_conflict', because: { details: { status } } })

let hashes = 0
/** One whose transaction nobody can say anything of, for a day. */
const doubted = async (doubt: RefundDoubt, more: { coins?: boolean } = {}) => {
  const refund = await on.made(more)
  await on.happen(refund, { type: 'transaction_sent', txHash: hashOf('doubted', String(++hashes)) })
  await house.sql`
    update refund_looks set doubt = ${doubt}, person_from = now(), next_look_at = now() + interval '1 day'
    where refund_id = ${refund.id}`
  return refund
}

const doubts: readonly RefundDoubt[] = ['nodes_disagree', 'balance_unknown', 'balance_unclear', 'possibly_earlier']

test.each(doubts.map(doubt => [doubt] as const))('%s: a person says that the money came, or that not', async doubt => {
  const [came, didNot] = [await doubted(doubt), await doubted(doubt)]
  expect((await judge(came, 'accept')).state).toBe('processed')
  expect(await look(came)).toMatchObject({ attention: false, reserved: 1000, refunded: 1000 })
  expect((await judge(didNot, 'fail')).state).toBe('failed')
  expect(await look(didNot)).toMatchObject({
    ...{ failureReason: 'unproven', attention: true, reserved: 0, refunded: 0, events: ['refund.failed'] },
  })
})

test('one that was failed so is signed again once a person has looked once more', async () => {
  const refund = await doubted('balance_unclear')
  await judge(refund, 'fail')
  await expect(retry(refund)).rejects.toMatchObject({ code: 'state_conflict' })
  await dismissRefund(house.api, named(refund), 'usr_1')
  expect((await retry(refund)).state).toBe('requires_signature')
  expect(await look(refund)).toMatchObject({ reserved: 1000 })
})

test('it came after all: one that was failed so is accepted', async () => {
  const refund = await doubted('balance_unclear')
  await judge(refund, 'fail')
  expect((await judge(refund, 'accept')).state).toBe('processed')
  expect(await look(refund)).toMatchObject({ failureReason: null, attention: false, reserved: 1000, refunded: 1000 })
})

test('while its chain may still say it, or cannot know it yet, no person does', async () => {
  const waits = await on.made()
  await expect(judge(waits, 'accept')).rejects.toMatchObject(conflict('requires_signature'))
  await on.happen(waits, { type: 'transaction_sent', txHash: hashOf('sent') })
  const soon = await doubted('nodes_disagree')
  await house.sql`update refund_looks set person_from = now() + interval '1 minute' where refund_id = ${soon.id}`
  for (const each of [waits, soon, await doubted('transaction_unknown')])
    for (const action of ['accept', 'fail'] as const)
      await expect(judge(each, action)).rejects.toMatchObject(conflict('processing'))
})

test('of twenty who accept and fail it at once one is heard, and its payment of the same', async () => {
  const refund = await doubted('balance_unclear')
  const said = Array.from({ length: 20 }, (_, n) => judge(refund, n % 2 === 0 ? 'accept' : 'fail'))
  const heard = (await Promise.allSettled(said)).filter(({ status }) => status === 'fulfilled')
  const seen = await look(refund)
  // What was failed may be accepted by the next.
  expect(heard.length).toBeLessThanOrEqual(2)
  const isPaid = seen.state === 'processed'
  expect(seen).toMatchObject(isPaid ? { reserved: 1000, refunded: 1000 } : { reserved: 0, refunded: 0 })
})

/** Its own transaction has brought less. */
const tooLittle = async () => {
  const refund = await on.made()
  await on.happen(refund, { type: 'transaction_sent', txHash: await on.chain.pay(customer, 999n) })
  await on.bury()
  await decide(house, on.chainOf())
  expect(await look(refund)).toMatchObject({ state: 'failed', attention: true, reserved: 0 })
  return refund
}

test('one whose own transaction has failed and moved money is accepted for as much as it is', async () => {
  const refund = await tooLittle()
  await expect(judge(refund, 'fail')).rejects.toMatchObject(conflict('failed'))
  const said = await Promise.allSettled(Array.from({ length: 5 }, () => judge(refund, 'accept')))
  expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await look(refund)).toMatchObject({ state: 'processed', attention: false, reserved: 1000, refunded: 1000 })
})

test('not once a person has looked, when what moved is another’s, or when the payment has nothing left', async () => {
  const refund = await tooLittle()
  const reserve = { type: 'reserve_refund', amountMinor: refund.context.amountMinor }
  const payment = { kind: 'payment', actor: refund.context.paymentId }
  await house.api.actors.dispatch({ ...payment, event: reserve })
  await expect(judge(refund, 'accept')).rejects.toMatchObject({ code: 'refund_exceeds_remaining' })
  expect(await look(refund)).toMatchObject({ state: 'failed', attention: true })
  await house.api.actors.dispatch({ ...payment, event: { ...reserve, type: 'release_refund' } })
  await dismissRefund(house.api, named(refund), 'usr_1')
  await expect(judge(refund, 'accept')).rejects.toMatchObject(conflict('failed'))
  await on.happen(refund, { type: 'stray_transfer_seen', txHash: hashOf('of another') })
  await expect(judge(refund, 'accept')).rejects.toMatchObject(conflict('failed'))
  await dismissRefund(house.api, named(refund), 'usr_1')
})

test('a hash that no node knows: the refund is signed again, by hand, of what it had reserved', async () => {
  const refund = await on.made({ coins: true })
  await on.happen(refund, { type: 'transaction_sent', txHash: `0x${'ee'.repeat(32)}` })
  expect((await retry(refund)).state).toBe('requires_signature')
  expect(await look(refund)).toMatchObject({ txHash: null, reserved: 1000, events: [] })
  const waits = await house.sql`select from signing_waits where refund_id = ${refund.id} and reason = 'by_hand'`
  expect(waits).toHaveLength(1)
})

test('one that waits to be mined is not, and one that comes back after that is taken again', async () => {
  const refund = await on.made()
  const hash = await on.chain.pay(customer, 1000n)
  const bytes = await on.chain.rpc<string>('eth_getRawTransactionByHash', hash)
  await on.happen(refund, { type: 'transaction_sent', txHash: hash })
  await expect(retry(refund)).rejects.toMatchObject(conflict('processing'))
  await on.chain.rpc('anvil_dropTransaction', hash)
  expect((await retry(refund)).state).toBe('requires_signature')
  await on.chain.rpc('eth_sendRawTransaction', bytes)
  await on.chain.mine()
  await on.read()
  await house.sql`update noticed_transfers set next_look_at = now()`
  await decide(house, on.chainOf())
  await on.bury()
  await decide(house, on.chainOf())
  expect(await look(refund)).toMatchObject({ state: 'processed', txHash: hash, attention: false })
})
