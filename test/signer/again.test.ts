import { expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { nameTransaction, retryRefund } from '../../src/commands/refund-transactions.ts'
import { listManuallySigned } from '../../src/queries/manual-signing.ts'
import { signRefund } from '../../src/signer/sign.ts'
import type { SigningStep } from '../../src/signer/signing-services.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()
const { sign, tendNow, sql, api } = instance

const refundOf = async (merchantId: string) => {
  const [refund] = await instance.refunds(merchantId, 1)
  if (!refund) throw new Error('the refund is missing')
  return { id: refund.id, merchantId, livemode: undefined }
}
type One = Awaited<ReturnType<typeof refundOf>>

const isShown = async ({ id }: One) => (await listManuallySigned(sql, [id])).has(id)
const fail = async ({ id }: One) => {
  const { txHash } = await instance.refund(id)
  const [payment] = await sql<{ id: string; amount: number }[]>`
    select payment_id as id, amount_minor::int as amount from refunds where id = ${id}`
  const event = { type: 'transaction_failed', txHash, confirmations: 3, failureReason: 'reverted' }
  const outcome = await api.actors.dispatchBundle([
    { kind: 'refund', actor: id, event, cause: 'chain:31337' },
    { kind: 'payment', actor: payment?.id ?? '', event: { type: 'release_refund', amountMinor: payment?.amount } },
  ])
  expect(outcome.ok).toBe(true)
}
const name = (refund: One, digit: string) =>
  nameTransaction(api, refund, { txHash: `0x${digit.repeat(64)}` as Hex, cause: 'test', isGone: async () => false })

test('a refund whose transaction by the signer failed is signed by the signer again', async () => {
  const { merchantId } = await instance.newSigner()
  const refund = await refundOf(merchantId)
  await sign(refund.id)
  const { txHash } = await instance.refund(refund.id)
  await instance.finalize()
  await tendNow()
  await fail(refund)
  await retryRefund(api, refund, 'test')
  expect(await isShown(refund)).toBe(false)
  await sign(refund.id)
  const again = await instance.refund(refund.id)
  expect([again.state, again.txHash === txHash]).toEqual(['processing', false])
})

test.each(['before it has failed', 'after it is to be signed again'])(
  'a refund whose transaction by hand failed is not signed by a signer that is set up %s',
  async when => {
    const { merchantId } = await instance.newSigner()
    await sql`select remove_refund_signer(${merchantId}, 31337, 'operator')`
    const refund = await refundOf(merchantId)
    await name(refund, when.startsWith('before') ? '1' : '2')
    if (when.startsWith('before')) await instance.newSigner({ of: merchantId })
    await fail(refund)
    await retryRefund(api, refund, 'test')
    if (!when.startsWith('before')) await instance.newSigner({ of: merchantId })
    expect(await isShown(refund)).toBe(true)
    await sign(refund.id)
    await tendNow()
    expect([(await instance.refund(refund.id)).state, await isShown(refund)]).toEqual(['requires_signature', true])
  },
)

const setMode = (of: string, mode: 'manual' | 'signer') =>
  sql`update merchant_settings set refund_mode = ${mode} where merchant_id = ${of}`

test.each(['over', 'open'])(
  'a signer interrupted between broadcast and recording does not sign again what has been switched to signing by hand, with its nonce %s',
  async number => {
    const { merchantId } = await instance.newSigner()
    const refund = await refundOf(merchantId)
    const held = Promise.withResolvers<void>()
    const there = Promise.withResolvers<void>()
    const at = (step: SigningStep) => {
      if (step !== 'broadcast') return
      there.resolve()
      return held.promise
    }
    const signing = signRefund({ ...instance.desk, onStep: at }, (_, act) => act(), refund.id)
    await there.promise
    await instance.finalize()
    await fail(refund)
    if (number === 'over') await instance.tend()
    await setMode(merchantId, 'manual')
    await retryRefund(api, refund, 'test')
    expect(await isShown(refund)).toBe(true)
    await setMode(merchantId, 'signer')
    held.resolve()
    await signing
    await tendNow()
    expect([await instance.waitOf(refund.id), await isShown(refund)]).toEqual(['by_hand', true])
    await tendNow()
    expect((await instance.refund(refund.id)).state).toBe('requires_signature')
  },
)
