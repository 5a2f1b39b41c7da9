import { expect, test } from 'bun:test'
import { nameTransaction } from '../../src/commands/refund-transactions.ts'
import { refundFactsFor } from '../../src/http/refund-facts.ts'
import type { MemberCaller } from '../../src/http/route.ts'
import { findRefund } from '../../src/queries/refunds.ts'
import { postponeSigning } from '../../src/queries/signing.ts'
import { signRefund } from '../../src/signer/sign.ts'
import type { SigningStep } from '../../src/signer/signing-services.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()

const { sign, tendNow } = instance
const stateOf = async (id: string) => (await instance.refund(id)).state
const setMode = (of: string, mode: 'manual' | 'signer') =>
  instance.sql`update merchant_settings set refund_mode = ${mode} where merchant_id = ${of}`
const remove = (of: string) => instance.sql`select remove_refund_signer(${of}, 31337, 'operator')`

const oneOf = async (merchantId: string, kind = {}) => {
  const [refund] = await instance.refunds(merchantId, 1, kind)
  if (!refund) throw new Error('the refund is missing')
  return { merchantId, ...refund }
}

/** For an owner. */
const isShown = async ({ id, merchantId }: { id: string; merchantId: string }) => {
  const refund = await findRefund(instance.sql, { id, merchantId, livemode: undefined })
  if (!refund) throw new Error('the refund is missing')
  const member: MemberCaller = { merchantId, role: 'owner' }
  return (await refundFactsFor(instance.api, { member }, [refund]))(refund).unsignedTransaction !== null
}

test('the transaction is not shown while a signer waits for gas to sign it', async () => {
  const { merchantId, address } = await instance.newSigner({ coins: 0n })
  const refund = await oneOf(merchantId)
  expect(await isShown(refund)).toBe(false)
  await sign(refund.id)
  expect(await instance.waitOf(refund.id)).toBe('no_gas')
  expect(await isShown(refund)).toBe(false)
  await instance.node.call('anvil_setBalance', address, '0xde0b6b3a7640000')
  await tendNow()
  expect(await stateOf(refund.id)).toBe('processing')
  expect(await isShown(refund)).toBe(false)
})

test("a refund above the signer's limit is shown, and never signed by a signer again", async () => {
  const fewAllowed = { perRefundMinor: 50, perDayMinor: 50 }
  const signer = await instance.newSigner(fewAllowed)
  const { merchantId: of } = signer
  const refund = await oneOf(of, { amountMinor: 51 })
  expect(await isShown(refund)).toBe(false)
  await sign(refund.id)
  expect(await isShown(refund)).toBe(true)

  await instance.sql`select add_refund_signer(${signer.id}, ${of}, 31337, ${signer.address}, '', 0,
    ${'[{"currency":"USD","perRefundMinor":9000,"perDayMinor":9000}]'}::text::json, 'operator')`
  await tendNow()
  expect([await stateOf(refund.id), await isShown(refund)]).toEqual(['requires_signature', true])
  const next = await oneOf(of, { amountMinor: 51 })
  await sign(next.id)
  expect(await stateOf(next.id)).toBe('processing')

  // A slower process finds another obstacle.
  const newlyWaiting = await postponeSigning(instance.sql, {
    refundId: refund.id,
    signerId: signer.id,
    reason: 'no_answer',
  })
  expect([newlyWaiting, await instance.waitOf(refund.id)]).toEqual([false, 'over_refund_limit'])

  await remove(of)
  await instance.newSigner({ of })
  await tendNow()
  expect([await stateOf(refund.id), await isShown(refund)]).toEqual(['requires_signature', true])
})

test.each(['enabled', 'added', 'replaced'])('a refund shown before a signer is %s is not signed by it', async how => {
  const { merchantId: of } =
    how === 'added' ? { merchantId: instance.merchantId } : await instance.newSigner({ coins: 0n })
  if (how === 'enabled') await setMode(of, 'manual')
  const refund = await oneOf(of)
  if (how === 'replaced') {
    await sign(refund.id)
    await remove(of)
  }
  expect(await isShown(refund)).toBe(true)
  await (how === 'enabled' ? setMode(of, 'signer') : instance.newSigner({ of }))
  await sign(refund.id)
  await tendNow()
  expect([await stateOf(refund.id), await instance.waitOf(refund.id)]).toEqual(['requires_signature', 'by_hand'])
  expect(await isShown(refund)).toBe(true)
})

/** Signs, and pauses after reading the database and before the commit. */
const heldSigning = async (id: string, step: SigningStep = 'signed') => {
  const held = Promise.withResolvers<void>()
  const there = Promise.withResolvers<void>()
  const at = (now: SigningStep) => {
    if (now !== step) return
    there.resolve()
    return held.promise
  }
  const signing = signRefund({ ...instance.desk, onStep: at }, instance.turns, id)
  await Promise.race([there.promise, signing])
  return async () => {
    held.resolve()
    await signing
  }
}

test.each([
  ['removed', remove],
  ['disabled', (of: string) => setMode(of, 'manual')],
  ['disabled and enabled', (of: string) => setMode(of, 'manual').then(() => setMode(of, 'signer'))],
  ['replaced by another one', (of: string) => remove(of).then(() => instance.newSigner({ of }))],
])('a signer that is %s meanwhile has committed its signature before that, or never does', async (_, change) => {
  const { id: signer, merchantId: of } = await instance.newSigner()
  const refund = await oneOf(of)
  const release = await heldSigning(refund.id)
  await change(of)
  expect(await isShown(refund)).toBe(true)
  await release()
  expect([await stateOf(refund.id), await isShown(refund)]).toEqual(['requires_signature', true])
  expect(await instance.sql`select from signer_nonces where signer_id = ${signer}`).toHaveLength(0)

  // And can be signed by hand.
  const next = await oneOf(of)
  await sign(next.id)
  expect(await isShown(next)).toBe((await stateOf(next.id)) === 'requires_signature')
})

test('a refund that another process has switched to signing by hand since it was read is not signed', async () => {
  const { id: signerId, merchantId } = await instance.newSigner()
  const refund = await oneOf(merchantId)
  const release = await heldSigning(refund.id)
  await postponeSigning(instance.sql, { refundId: refund.id, signerId, reason: 'over_day_limit' })
  await release()
  expect([await stateOf(refund.id), await isShown(refund)]).toEqual(['requires_signature', true])
})

test('a change of the signer waits for its commit in progress, and the transaction is never shown', async () => {
  for (const change of [remove, (of: string) => setMode(of, 'manual')]) {
    const { merchantId } = await instance.newSigner()
    const refund = await oneOf(merchantId)
    const signing = sign(refund.id)
    await change(merchantId)
    const [shown, state] = [await isShown(refund), await stateOf(refund.id)]
    await signing
    expect([shown, await stateOf(refund.id)]).toEqual([state === 'requires_signature', state])
  }
})

test('a hash named by hand while a signer signs is stored, and the signature is discarded', async () => {
  const { merchantId } = await instance.newSigner()
  const refund = await oneOf(merchantId)
  const release = await heldSigning(refund.id)
  const txHash = `0x${'cd'.repeat(32)}`
  await nameTransaction(
    instance.api,
    { ...refund, livemode: undefined },
    { txHash, cause: 'test', isGone: async () => false },
  )
  await release()
  expect(await instance.refund(refund.id)).toMatchObject({ state: 'processing', txHash })
  await instance.node.mine()
  expect(await instance.transfersTo(refund.destination)).toBe(0)
})

test('a refund switched to signing by hand while it waits for its turn is not signed afterwards', async () => {
  const { merchantId } = await instance.newSigner()
  const refund = await oneOf(merchantId)
  const held = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  const signing = signRefund(
    instance.desk,
    async (_, act) => {
      waiting.resolve()
      await held.promise
      return act()
    },
    refund.id,
  )
  await waiting.promise
  await setMode(merchantId, 'manual')
  expect(await isShown(refund)).toBe(true)
  await setMode(merchantId, 'signer')
  held.resolve()
  await signing
  expect(await stateOf(refund.id)).toBe('requires_signature')
})
