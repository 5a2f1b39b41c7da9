import { expect, test } from 'bun:test'
import { refundFactsFor } from '../../src/http/refund-facts.ts'
import { findRefund } from '../../src/queries/refunds.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()
const { sign, tendNow } = instance

const failed = async (of: string, strayed: boolean) => {
  const [made] = await instance.refunds(of, 1)
  if (!made) throw new Error('there is no refund')
  const { id } = made
  const txHash = `0x${id.replaceAll('-', '').padStart(64, '0')}`
  const find = async () => {
    const refund = await findRefund(instance.sql, { id, merchantId: of, livemode: undefined })
    if (!refund) throw new Error('the refund is not there')
    return refund
  }
  const { paymentId, amountMinor } = (await find()).context
  const tell = async (event: { type: string } & Record<string, unknown>, money?: string) => {
    const outcome = await instance.api.actors.dispatchBundle([
      { kind: 'refund', actor: id, event, cause: 'chain:31337' },
      ...(money ? [{ kind: 'payment', actor: paymentId, event: { type: money, amountMinor } }] : []),
    ])
    return outcome.ok
  }
  expect(await tell({ type: 'transaction_sent', txHash })).toBe(true)
  const verdict = { type: 'transaction_failed', failureReason: 'amount_mismatch', confirmations: 3, txHash, strayed }
  expect(await tell(verdict, 'release_refund')).toBe(true)
  const isShown = async () => {
    const member = { merchantId: of, role: 'owner' } as const
    const refund = await find()
    return (await refundFactsFor(instance.api, { member }, [refund]))(refund).unsignedTransaction !== null
  }
  return {
    ...{ ...made, isShown },
    stateOf: async () => (await find()).state,
    retry: () => tell({ type: 'retry' }, 'reserve_refund'),
    dismiss: () => tell({ type: 'dismiss' }),
  }
}

test('a signer signs none that was sent by hand: not while it has failed, and not once it is to be signed again', async () => {
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

test('nobody has one signed again that has moved money before somebody has looked', async () => {
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

test('while it has failed nothing of its payment is kept for it, and nothing is shown; by hand, once it is to be again', async () => {
  const refund = await failed(instance.merchantId, false)
  expect([await refund.stateOf(), await refund.isShown()]).toEqual(['failed', false])
  expect(await refund.retry()).toBe(true)
  await sign(refund.id)
  expect([await refund.stateOf(), await refund.isShown()]).toEqual(['requires_signature', true])
})
