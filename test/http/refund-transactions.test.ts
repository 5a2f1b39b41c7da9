import { expect, test } from 'bun:test'
import { getAddress } from 'viem/utils'
import { refundTransactionRoutes } from '../../src/http/refund-transactions.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { decodeId } from '../../src/ids.ts'
import { addSigner } from '../../src/queries/signer-setup.ts'
import { insertKey } from '../access/keys.ts'
import { member } from './people.ts'
import { customerAddress, refund, refundCalls } from './refunds.ts'
import { type Asked, newKey, twoShops } from './two-shops.ts'

const shops = await twoShops({ routes: [...refundRoutes, ...refundTransactionRoutes] })
const { server, lamps, chairs, ask } = shops
const { start, made, read, list, booksOf, paidHere } = refundCalls(shops)

let hashes = 0
const newHash = () => `0x${(++hashes).toString(16).padStart(64, 'a')}`

const as = ({ bearer }: { bearer: string }): Asked => ({ path: lamps.path, bearer })
const name = (id: string, txHash: string, asked: Asked = as(lamps.owner)) =>
  ask('POST', `/refunds/${id}/transaction`, { ...asked, json: { txHash } })

const signable = async (amountMinor = 100) => {
  const { actor, id: paymentId } = await paidHere()
  return { payment: actor, ...(await made(paymentId, { amountMinor, destination: customerAddress })) }
}

/** The chain has its own tests, so this outcome is dispatched. */
const fails = async (id: string, payment: string, txHash: string, amountMinor = 100, more: object = {}) => {
  const failed = { type: 'transaction_failed', txHash, confirmations: 3, failureReason: 'reverted', ...more }
  const outcome = await server.api.actors.dispatchBundle([
    { kind: 'refund', actor: decodeId('re', id) ?? '', event: failed, cause: 'chain:31337' },
    { kind: 'payment', actor: payment, event: { type: 'release_refund', amountMinor } },
  ])
  expect(outcome.ok).toBe(true)
}

test('200: the refund is processing, with the hash in any spelling; a repeated request changes nothing', async () => {
  const { id, unsignedTransaction } = await signable()
  expect(unsignedTransaction).not.toBe(null)
  const txHash = newHash()
  const answer = await name(id, `0x${txHash.slice(2).toUpperCase()}`)
  expect(answer.status).toBe(200)
  const sent = refund.assert(answer.json)
  expect(sent).toMatchObject({ status: 'processing', unsignedTransaction: null, crypto: { txHash, confirmations: 0 } })
  const again = await name(id, txHash, as(await member(server.api, lamps, 'developer')))
  expect([again.status, again.json]).toEqual([200, sent])
})

test('400: an invalid hash', async () => {
  const { id } = await signable()
  const wrong = ['', '0x', newHash().slice(2), `${newHash()}0`, newHash().replace('a', 'g'), 7, null]
  for (const txHash of wrong) expect(await name(id, txHash as string)).toMatchObject({ status: 400 })
  expect(await ask('POST', `/refunds/${id}/transaction`, as(lamps.owner))).toMatchObject({ status: 400 })
})

test('409: another transaction while one is processing, or when none is expected', async () => {
  const { id, paymentId } = await signable()
  const conflict = (status: string) => ({ status: 409, error: { code: 'state_conflict', details: { status } } })
  await name(id, newHash())
  expect(await name(id, newHash())).toMatchObject(conflict('processing'))
  const { id: unnamed } = await made(paymentId, { amountMinor: 100 })
  expect(await name(unnamed, newHash())).toMatchObject(conflict('requires_destination'))
  await ask('POST', `/refunds/${unnamed}/cancel`, as(lamps.owner))
  expect(await name(unnamed, newHash())).toMatchObject(conflict('canceled'))
})

test('409: one transaction pays one refund, also when named for many at the same time', async () => {
  const { id: paymentId } = await paidHere()
  const refunds = await Promise.all(
    Array.from({ length: 10 }, () => made(paymentId, { amountMinor: 100, destination: customerAddress })),
  )
  const txHash = newHash()
  const answers = await Promise.all(refunds.map(({ id }) => name(id, txHash)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
  const { error } = answers.find(({ status }) => status === 409) ?? {}
  expect(error).toMatchObject({ code: 'state_conflict', param: 'txHash' })
})

test('of twenty different hashes at the same time one is stored; twenty identical ones all succeed', async () => {
  const [many, same] = [await signable(), await signable()]
  const different = await Promise.all(Array.from({ length: 20 }, () => name(many.id, newHash())))
  expect(different.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
  const txHash = newHash()
  const alike = await Promise.all(Array.from({ length: 20 }, () => name(same.id, txHash)))
  expect(new Set(alike.map(({ text, status }) => `${status} ${text}`)).size).toBe(1)
  expect(alike[0]?.status).toBe(200)
})

test('a failed refund starts again with another transaction, not with the same one', async () => {
  const { id, payment } = await signable()
  const [first, second] = [newHash(), newHash()]
  await name(id, first)
  await fails(id, payment, first)
  expect(await booksOf(payment)).toMatchObject({ reserved: 0 })
  expect((await name(id, first)).json).toMatchObject({ status: 'failed', failureReason: 'reverted' })
  const again = refund.assert((await name(id, second)).json)
  expect(again).toMatchObject({ status: 'processing', failureReason: null, crypto: { txHash: second } })
  expect(await booksOf(payment)).toMatchObject({ reserved: 100 })
  // The failed transaction can be named for the refund that it fits.
  const { id: other } = await signable()
  expect((await name(other, first)).status).toBe(200)
})

test('409: a failed refund whose money has moved accepts no other transaction before it is resolved', async () => {
  const { id, payment } = await signable()
  const [first, second] = [newHash(), newHash()]
  await name(id, first)
  await fails(id, payment, first, 100, { failureReason: 'amount_mismatch', strayed: true })
  expect(await name(id, second)).toMatchObject({
    ...{ status: 409, error: { code: 'state_conflict', details: { status: 'failed', attention: true } } },
  })
  expect(await booksOf(payment)).toMatchObject({ reserved: 0 })
  expect(
    (await ask('POST', `/refunds/${id}/resolve`, { ...as(lamps.owner), json: { action: 'dismiss' } })).status,
  ).toBe(200)
  const again = refund.assert((await name(id, second)).json)
  expect(again).toMatchObject({ status: 'processing', crypto: { txHash: second } })
  expect(await booksOf(payment)).toMatchObject({ reserved: 100 })
})

test('422: a failed refund stays failed when the rest of its payment is refunded', async () => {
  const { id, payment, paymentId } = await signable(600)
  const first = newHash()
  await name(id, first)
  await fails(id, payment, first, 600)
  await made(paymentId, { amountMinor: 500, destination: customerAddress })
  expect(await name(id, newHash())).toMatchObject({ status: 422, error: { code: 'refund_exceeds_remaining' } })
  expect((await read(id)).json).toMatchObject({ status: 'failed' })
  expect(await booksOf(payment)).toMatchObject({ reserved: 500 })
})

test('the transaction to sign is shown only to callers that may refund, and only while it is to be signed', async () => {
  const started = await signable(500)
  const { id, paymentId, crypto } = started
  const unsigned = started.unsignedTransaction
  expect(unsigned).toMatchObject({ chainId: crypto.chainId, value: '0' })
  expect(unsigned?.to).toBe(getAddress(crypto.tokenAddress ?? ''))
  expect(unsigned?.data).toEndWith((decodeId('re', id) ?? '').replaceAll('-', ''))
  const keyOf = async (...scopes: string[]) => (await insertKey(server.sql, { ...lamps, scopes })).secret
  const seenBy = async (asked: Asked) => {
    const one = refund.assert((await read(id, asked)).json).unsignedTransaction
    const [listed] = (await list(`?paymentId=${paymentId}`, asked)).data
    expect(listed?.unsignedTransaction).toEqual(one)
    return one
  }
  const developer = as(await member(server.api, lamps, 'developer'))
  for (const asked of [{}, { bearer: await keyOf('payments:read', 'refunds:write') }, as(lamps.owner), developer])
    expect(await seenBy(asked)).toEqual(unsigned)
  const viewer = as(await member(server.api, lamps, 'viewer'))
  for (const asked of [{ bearer: await keyOf('payments:read', 'payment_links:write') }, viewer])
    expect(await seenBy(asked)).toBe(null)
  await name(id, newHash())
  expect(await seenBy(as(lamps.owner))).toBe(null)
})

test('the transaction to sign is not shown while a refund signer is to sign it, not even to its creator', async () => {
  const { merchantId } = lamps
  const [settings] = await server.sql<{ mode: string }[]>`
    update merchant_settings set refund_mode = 'signer' where merchant_id = ${merchantId} returning refund_mode as mode`
  expect(settings?.mode).toBe('signer')
  await addSigner(server.sql, {
    ...{ id: crypto.randomUUID(), merchantId, chainId: 31337, address: `0x${'5'.repeat(40)}`, sealedKey: 'v1.gone.x' },
    ...{ firstNonce: 0, limits: [] },
  })
  const { id, status, unsignedTransaction } = await signable()
  expect([status, unsignedTransaction]).toEqual(['requires_signature', null])
  expect((await read(id)).json).toMatchObject({ unsignedTransaction: null })
  await server.sql`update merchant_settings set refund_mode = 'manual' where merchant_id = ${merchantId}`
  expect(refund.assert((await read(id)).json).unsignedTransaction).not.toBe(null)

  // The signer is enabled after the mode was read and before the refund was created for signing by hand.
  await server.sql.unsafe(`
    create function turn_on() returns trigger language plpgsql as $$
    begin
      update merchant_settings set refund_mode = 'signer' where merchant_id = new.merchant_id;
      return new;
    end $$;
    create trigger turn_on before insert on refunds for each row execute function turn_on()`)
  const { id: paymentId } = await paidHere()
  const again = () => start(paymentId, { amountMinor: 100, destination: customerAddress }, { headers })
  const headers = newKey()
  const first = await again()
  expect(refund.assert(first.json)).toMatchObject({ status: 'requires_signature', unsignedTransaction: null })
  await server.sql.unsafe('drop trigger turn_on on refunds')
  expect((await again()).text).toBe(first.text)
  await server.sql`update merchant_settings set refund_mode = 'manual' where merchant_id = ${merchantId}`
})

test('only for developers and owners of its merchant, not for keys', async () => {
  const { id } = await signable()
  const viewer = await member(server.api, lamps, 'viewer')
  expect(await name(id, newHash(), as(viewer))).toMatchObject({ error: { code: 'insufficient_role' } })
  expect(await name(id, newHash(), { path: chairs.path, bearer: chairs.owner.bearer })).toMatchObject({ status: 404 })
  expect(await name(id, newHash(), {})).toMatchObject({ status: 404, error: { code: 'route_not_found' } })
  expect(await name('re_1', newHash())).toMatchObject({ status: 404 })
})
