import { expect, test } from 'bun:test'
import { refundSigningRoutes } from '../../src/http/refund-signing.ts'
import { refundTransactionRoutes } from '../../src/http/refund-transactions.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { decodeId } from '../../src/ids.ts'
import { customerAddress, refund, refundCalls } from './refunds.ts'
import { twoShops } from './two-shops.ts'

const shops = await twoShops({ routes: [...refundRoutes, ...refundTransactionRoutes, ...refundSigningRoutes] })
const { server, lamps, ask } = shops
const { made, read, booksOf, paidHere } = refundCalls(shops)

const post = (id: string, what: string, json?: object) =>
  ask('POST', `/refunds/${id}/${what}`, { path: lamps.path, bearer: lamps.owner.bearer, json })
const hash = (digit: number) => `0x${String(digit).repeat(64)}`

/** Applies the outcome that the chain reports. */
const judged = async (
  id: string,
  payment: string,
  event: { type: string } & Record<string, unknown>,
  money: string,
) => {
  const cause = 'chain:31337'
  const outcome = await server.api.actors.dispatchBundle([
    { kind: 'refund', actor: decodeId('re', id) ?? '', event: { confirmations: 3, ...event }, cause },
    { kind: 'payment', actor: payment, event: { type: money, amountMinor: 100 }, cause },
  ])
  expect(outcome.ok).toBe(true)
}

test('a failed refund can be reviewed, signed again and paid', async () => {
  const { actor: payment, id: paymentId } = await paidHere()
  const { id, unsignedTransaction } = await made(paymentId, { amountMinor: 100, destination: customerAddress })
  await post(id, 'transaction', { txHash: hash(1) })
  const failed = { type: 'transaction_failed', failureReason: 'amount_mismatch', txHash: hash(1), strayed: true }
  await judged(id, payment, failed, 'release_refund')
  expect((await read(id)).json).toMatchObject({ status: 'failed', unsignedTransaction: null })

  const needingReview = {
    status: 409,
    error: { code: 'state_conflict', details: { status: 'failed', attention: true } },
  }
  expect(await post(id, 'retry')).toMatchObject(needingReview)
  expect((await post(id, 'resolve', { action: 'dismiss' })).status).toBe(200)
  expect(await booksOf(payment)).toMatchObject({ reserved: 0 })
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(id, 'retry')))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
  expect(await booksOf(payment)).toMatchObject({ reserved: 100 })
  const again = refund.assert(answers.find(({ status }) => status === 200)?.json)
  expect(again).toMatchObject({ status: 'requires_signature', unsignedTransaction })

  expect((await post(id, 'transaction', { txHash: hash(2) })).json).toMatchObject({ status: 'processing' })
  await judged(id, payment, { type: 'transaction_verified', txHash: hash(2) }, 'refund_processed')
  expect((await read(id)).json).toMatchObject({ status: 'processed', crypto: { txHash: hash(2) } })
  expect(await booksOf(payment)).toMatchObject({ reserved: 100, refunds: 1 })
})

test('POST …/resolve records what a person found out about a failed refund whose money has moved, and about one that the nodes cannot judge', async () => {
  const { actor: payment, id: paymentId } = await paidHere()
  const { id } = await made(paymentId, { amountMinor: 100, destination: customerAddress })
  const conflict = (status: string) => ({ status: 409, error: { code: 'state_conflict', details: { status } } })
  expect(await post(id, 'resolve', { action: 'accept' })).toMatchObject(conflict('requires_signature'))
  expect(await post(id, 'resolve', { action: 'other' })).toMatchObject({ status: 400 })
  await post(id, 'transaction', { txHash: hash(3) })
  expect(await post(id, 'resolve', { action: 'fail' })).toMatchObject(conflict('processing'))
  await server.sql`
    update refund_looks set doubt = 'balance_unclear', person_from = now() where refund_id = ${decodeId('re', id) ?? ''}`
  expect(await post(id, 'resolve', { action: 'fail' })).toMatchObject({
    ...{ status: 200, json: { status: 'failed', failureReason: 'unproven' } },
  })
  expect(await booksOf(payment)).toMatchObject({ reserved: 0 })

  const rest = await made(paymentId, { destination: customerAddress })
  const spent = { status: 422, error: { code: 'refund_exceeds_remaining' } }
  expect(await post(id, 'resolve', { action: 'accept' })).toMatchObject(spent)
  await post(rest.id, 'cancel')
  expect(await post(id, 'resolve', { action: 'accept' })).toMatchObject({
    ...{ status: 200, json: { status: 'processed', failureReason: null } },
  })
  expect(await booksOf(payment)).toMatchObject({ reserved: 100 })
  expect(await post(id, 'resolve', { action: 'accept' })).toMatchObject(conflict('processed'))
})
