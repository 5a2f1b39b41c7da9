import { describe, expect, test } from 'bun:test'
import { getAddress } from 'viem/utils'
import { refundPageRoutes } from '../../src/http/refund-pages.ts'
import { refundSigningRoutes } from '../../src/http/refund-signing.ts'
import { refundTransactionRoutes } from '../../src/http/refund-transactions.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { decodeId } from '../../src/ids.ts'
import { member } from './people.ts'
import { customerAddress, refund, refundCalls } from './refunds.ts'
import { type Asked, twoShops } from './two-shops.ts'

const shops = await twoShops({
  routes: [...refundRoutes, ...refundTransactionRoutes, ...refundSigningRoutes, ...refundPageRoutes],
})
const { server, lamps, chairs, ask } = shops
const { made, booksOf, paidHere } = refundCalls(shops)

const as = ({ bearer }: { bearer: string }): Asked => ({ path: lamps.path, bearer })
const owner = as(lamps.owner)
const linkOf = (id: string, asked = owner) => ask('GET', `/refunds/${id}/payment-uri`, asked)
const retry = (id: string, asked = owner) => ask('POST', `/refunds/${id}/retry`, asked)
const conflict = (status: string) => ({ status: 409, error: { code: 'state_conflict', details: { status } } })

const signable = async (amountMinor = 100) => {
  const { actor, id: paymentId } = await paidHere()
  return { payment: actor, ...(await made(paymentId, { amountMinor, destination: customerAddress })) }
}

/** Its transaction was mined and has reverted. */
const failed = async (amountMinor = 100) => {
  const started = await signable(amountMinor)
  const { id, payment } = started
  const txHash = `0x${(++hashes).toString(16).padStart(64, 'b')}`
  await ask('POST', `/refunds/${id}/transaction`, { ...owner, json: { txHash } })
  const event = { type: 'transaction_failed', txHash, confirmations: 3, failureReason: 'reverted' }
  const outcome = await server.api.actors.dispatchBundle([
    { kind: 'refund', actor: decodeId('re', id) ?? '', event, cause: 'chain:31337' },
    { kind: 'payment', actor: payment, event: { type: 'release_refund', amountMinor } },
  ])
  expect(outcome.ok).toBe(true)
  return started
}
let hashes = 0

describe('GET …/payment-uri', () => {
  test('200: the EIP-681 link and its QR code, for owners and developers', async () => {
    const { id, crypto } = await signable()
    const token = getAddress(crypto.tokenAddress ?? '')
    const paymentUri = `ethereum:${token}@31337/transfer?address=${customerAddress}&uint256=${crypto.amount}`
    for (const asked of [owner, as(await member(server.api, lamps, 'developer'))]) {
      const { status, json } = await linkOf(id, asked)
      expect([status, json]).toEqual([
        200,
        { object: 'payment_uri', paymentUri, qrCode: expect.stringMatching(/^<svg /) },
      ])
    }
  })

  test('403 for viewers, 404 for others and for keys', async () => {
    const { id } = await signable()
    expect(await linkOf(id, as(await member(server.api, lamps, 'viewer')))).toMatchObject({ status: 403 })
    expect(await linkOf(id, { path: chairs.path, bearer: chairs.owner.bearer })).toMatchObject({ status: 404 })
    expect(await linkOf('re_1')).toMatchObject({ status: 404 })
    expect(await linkOf(id, {})).toMatchObject({ status: 404, error: { code: 'route_not_found' } })
  })

  test('409: no transaction to sign, or no longer', async () => {
    const { id, paymentId } = await signable()
    const { id: unnamed } = await made(paymentId, { amountMinor: 100 })
    expect(await linkOf(unnamed)).toMatchObject(conflict('requires_destination'))
    await ask('POST', `/refunds/${id}/transaction`, { ...owner, json: { txHash: `0x${'d'.repeat(64)}` } })
    expect(await linkOf(id)).toMatchObject(conflict('processing'))
  })
})

describe('POST …/retry', () => {
  test('200: a failed refund can be signed again, unchanged, and its amount is reserved again', async () => {
    const { id, payment, unsignedTransaction } = await failed()
    expect(await booksOf(payment)).toMatchObject({ reserved: 0 })
    const { status, json } = await retry(id)
    expect([status, refund.assert(json)]).toMatchObject([
      200,
      { status: 'requires_signature', failureReason: null, unsignedTransaction, crypto: { txHash: null } },
    ])
    expect(await booksOf(payment)).toMatchObject({ reserved: 100 })
    expect(await retry(id)).toMatchObject(conflict('requires_signature'))
  })

  test('of ten simultaneous retries one succeeds, and the amount is reserved once', async () => {
    const { id, payment } = await failed()
    const answers = await Promise.all(Array.from({ length: 10 }, () => retry(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(await booksOf(payment)).toMatchObject({ reserved: 100 })
  })

  test('422: another refund has taken the amount of its payment in the meantime', async () => {
    const { id, payment, paymentId } = await failed(600)
    await made(paymentId, { amountMinor: 500, destination: customerAddress })
    expect(await retry(id)).toMatchObject({ status: 422, error: { code: 'refund_exceeds_remaining' } })
    expect(await booksOf(payment)).toMatchObject({ reserved: 500 })
  })

  test('only for owners and developers of its merchant', async () => {
    const { id } = await failed()
    expect(await retry(id, as(await member(server.api, lamps, 'viewer')))).toMatchObject({ status: 403 })
    expect(await retry(id, { path: chairs.path, bearer: chairs.owner.bearer })).toMatchObject({ status: 404 })
    expect(await retry(id, as(await member(server.api, lamps, 'developer')))).toMatchObject({ status: 200 })
  })
})

test('303: the short addresses lead to the dashboard, in the same way for every ID', async () => {
  const { id } = await signable()
  const targetOf = async (path: string) => {
    const { status, headers } = await server.call('GET', path)
    return [status, headers.get('location')]
  }
  expect(await targetOf('/refunds')).toEqual([303, '/dashboard/refunds'])
  for (const each of [id, 're_1', 'x'])
    expect(await targetOf(`/refunds/${each}`)).toEqual([303, `/dashboard/refunds/${each}`])
})
