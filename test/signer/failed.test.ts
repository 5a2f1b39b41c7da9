import { expect, test } from 'bun:test'
import { refundFactsFor } from '../../src/http/refund-facts.ts'
import { findRefund } from '../../src/queries/refunds.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()
const { sign, tendNow } = instance

const failed = async (of: string, strayed: boolean) => {
  const [made] = await instance.refunds(of, 1)
  if (!made) throw new Error('the refund is missing')
  const { id } = made
  const txHash = `0x${id.replaceAll('-', '').padStart(64, '0')}`
  const find = async () => {
    const refund = await findRefund(instance.sql, { id, merchantId: of, livemode: undefined })
    if (!refund) throw new Error('the refund is missing')
    return refund
  }
  const { paymentId, amountMinor } = (await find()).context
  const applyEvent = async (event: { type: string } & Record<string, unknown>, money?: string) => {
    const outcome = await instance.api.actors.dispatchBundle([
      { kind: 'refund', actor: id, event, cause: 'chain:31337' },
      ...(money ? [{ kind: 'payment', actor: paymentId, event: { type: money, amountMinor } }] : []),
    ])
    return outcome.ok
  }
  expect(await applyEvent({ type: 'transaction_sent', txHash })).toBe(true)
  const verdict = { type: 'transaction_failed', failureReason: 'amount_mismatch', confirmations: 3, txHash, strayed }
  expect(await applyEvent(verdict, 'release_refund')).toBe(true)
  const isShown = async () => {
    const member = { merchantId: of, role: 'owner' } as const
    const refund = await find()
    return (await refundFactsFor(instance.api, { member }, [refund]))(refund).unsignedTransaction !== null
  }
  return {
    ...{ ...made, isShown },
    stateOf: async () => (await find()).state,
    retry: () => applyEvent({ type: 'retry' }, 'reserve_refund'),
    dismiss: () => applyEvent({ type: 'dismiss' }),
  }
}

test('a signer does not sign refunds sent by hand, neither after their failure nor after a retry', async () => {
  const { merchantId } = await instance.newSigner()
  const refund = await failed(merchantId, false)
  await sign(refund.id)
  await tendNow()
  expect([await refund.stateOf(), await instance.waitOf(refund.id)]).toEqual(['failed', undefined])
  expect(await refund.retry()).toBe(true)
  await Promise.all([sign(refund.id), tendNow()])
  expect([await refund.stateOf(), await refund.isShown()]).toEqual(['requires_signature', true])
  await instance.node.mine()
  expect(await instance.transfersTo(refund.destination)).toBe(0)
})

test('a failed refund whose money has moved cannot be retried before it is reviewed', async () => {
  const { merchantId } = await instance.newSigner()
  const refund = await failed(merchantId, true)
  expect(await refund.retry()).toBe(false)
  await sign(refund.id)
  await tendNow()
  expect([await refund.stateOf(), await refund.isShown()]).toEqual(['failed', false])
  expect([await refund.dismiss(), await refund.dismiss()]).toEqual([true, false])
  await tendNow()
  expect(await refund.stateOf()).toBe('failed')
  expect(await refund.retry()).toBe(true)
})

test('while a refund has failed, nothing is reserved and no transaction shown; after a retry it is shown for signing by hand', async () => {
  const refund = await failed(instance.merchantId, false)
  expect([await refund.stateOf(), await refund.isShown()]).toEqual(['failed', false])
  expect(await refund.retry()).toBe(true)
  await sign(refund.id)
  expect([await refund.stateOf(), await refund.isShown()]).toEqual(['requires_signature', true])
})
