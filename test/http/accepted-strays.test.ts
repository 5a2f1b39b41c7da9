import { describe, expect, test } from 'bun:test'
import { checksummed } from '../../src/chain/checksum.ts'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { settlePayments } from '../../src/chain/watch/settle.ts'
import { paymentRoutes } from '../../src/http/payments.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { hashOf, issueAddress, openLedger, SENDER, type SentTransfer, TOKEN } from '../chain/watch/ledger.ts'
import { type MadePayment, makePayment } from './payments.ts'
import { refundCalls } from './refunds.ts'
import { twoShops } from './two-shops.ts'

const OTHER = `0x${'d'.repeat(40)}`
const UNKNOWN = `0x${'b0'.repeat(20)}`
const EURO = `0x${'e'.repeat(40)}`
const ELSEWHERE = 31338

const sandbox = sandboxChain({ token: TOKEN, feed: TOKEN, euroFeed: TOKEN })
const here = {
  ...sandbox,
  tokens: [
    ...sandbox.tokens,
    { asset: 'OUSD', address: OTHER, decimals: 6, peg: 'USD' },
    { asset: 'OEUR', address: EURO, decimals: 6, peg: 'EUR' },
  ],
}
const shops = await twoShops({
  routes: [...paymentRoutes, ...refundRoutes],
  chains: outside => connectChains([here, { ...here, id: ELSEWHERE, network: 'Elsewhere' }], () => [], outside),
})
const { server, lamps, ask } = shops
const { start, made } = refundCalls(shops)
const ledger = await openLedger(server.sql)
const elsewhere = await openLedger(server.sql, ELSEWHERE)
/** The ledger of a chain that was disabled later. */
const off = await openLedger(server.sql, 31339)

/** A payment of ten test dollars to which the customer has sent another asset. */
const paymentWithStray = async (sent: Partial<SentTransfer>, on = ledger): Promise<MadePayment> => {
  const payment = await makePayment(server.api, { merchantId: lamps.merchantId, livemode: false }, 'picked')
  await issueAddress(server.sql, payment)
  await receive(payment, sent, on)
  return payment
}

const receive = async ({ address }: MadePayment, sent: Partial<SentTransfer>, on = ledger) => {
  await on.block([{ to: address.toLowerCase(), amount: 1n, tx: hashOf(Math.random()), ...sent }])
  await on.finalize()
  while ((await settlePayments(server.api)) > 0);
}

const accept = async ({ id }: MadePayment) => {
  const { path, owner } = lamps
  return ask('POST', `/payments/${id}/resolve`, { path, bearer: owner.bearer, json: { action: 'accept' } })
}

const read = async ({ id }: MadePayment) => (await ask('GET', `/payments/${id}`)).json

describe('accepting a payment that received another asset', () => {
  test('credits the value of another stablecoin of the same currency, and refunds are paid in it', async () => {
    const payment = await paymentWithStray({ token: OTHER, amount: 4_000_000n })
    expect(await read(payment)).toMatchObject({ status: 'pending', crypto: { exception: 'wrong_asset' } })
    const accepted = await accept(payment)
    expect(accepted).toMatchObject({
      status: 200,
      json: {
        status: 'success',
        crypto: {
          ...{ chainId: 31337, asset: 'OUSD', decimals: 6, exception: 'wrong_asset', payerAddress: SENDER },
          ...{
            amountExpected: '10000000',
            amountReceived: '4000000',
            transfers: [{ amount: '4000000', state: 'final' }],
          },
        },
      },
    })
    expect(await read(payment)).toEqual(accepted.json)
    expect(await start(payment.id, { amountMinor: 401 })).toMatchObject({ status: 422 })
    expect(await made(payment.id)).toMatchObject({
      ...{ amountMinor: 400, crypto: { chainId: 31337, asset: 'OUSD', amount: '4000000' } },
    })
  })

  test.each<[string, Partial<SentTransfer>, typeof ledger, object]>([
    [
      'the native currency of another chain',
      { token: null, amount: 5_000n },
      elsewhere,
      { chainId: ELSEWHERE, asset: 'ETH' },
    ],
    ['a stablecoin of another currency', { token: EURO, amount: 5_000n }, ledger, { chainId: 31337, asset: 'OEUR' }],
  ])('credits the full price for %s, and partial refunds are paid in it', async (_, sent, on, pick) => {
    const payment = await paymentWithStray(sent, on)
    expect((await accept(payment)).json).toMatchObject({
      status: 'success',
      crypto: { ...pick, amountExpected: '5000', amountReceived: '5000' },
    })
    expect(await made(payment.id, { amountMinor: 300 })).toMatchObject({ crypto: { ...pick, amount: '1500' } })
    expect(await made(payment.id)).toMatchObject({ amountMinor: 700, crypto: { ...pick, amount: '3500' } })
  })

  test('needs attention again when the requested asset arrives later', async () => {
    const payment = await paymentWithStray({ token: OTHER, amount: 10_000_000n })
    await accept(payment)
    const attention = async () =>
      (await server.sql<{ attention: boolean }[]>`select attention from payments where id = ${payment.actor}`)[0]
        ?.attention
    expect(await attention()).toBe(false)
    await receive(payment, { amount: 1_000n })
    expect(await attention()).toBe(true)
    expect(await read(payment)).toMatchObject({
      status: 'success',
      crypto: { asset: 'OUSD', amountReceived: '10000000' },
    })
  })

  test('credits the asset that arrived first when several arrived', async () => {
    const payment = await paymentWithStray({ token: EURO, amount: 7n })
    await receive(payment, { token: OTHER, amount: 10_000_000n })
    expect((await accept(payment)).json).toMatchObject({ crypto: { asset: 'OEUR', amountReceived: '7' } })
    expect(await server.sql`select stray, final_strays from payments where id = ${payment.actor}`).toEqual([
      { stray: 'wrong_asset', final_strays: 1 },
    ] as never)
  })

  test.each<[string, Partial<SentTransfer>, typeof ledger, object]>([
    ['of a disabled chain', { token: null }, off, { chainId: 31339, tokenAddress: null }],
    ['that is not configured', { token: UNKNOWN }, ledger, { chainId: 31337, tokenAddress: checksummed(UNKNOWN) }],
  ])('is refused while the only received asset is one %s', async (_, sent, on, asset) => {
    const payment = await paymentWithStray(sent, on)
    expect(await accept(payment)).toMatchObject({
      status: 422,
      json: { error: { code: 'unsupported_asset', details: { assets: [asset] } } },
    })
    expect(await read(payment)).toMatchObject({ status: 'pending' })
    // An asset that is configured can be accepted as well.
    await receive(payment, { token: OTHER, amount: 4_000_000n })
    expect((await accept(payment)).json).toMatchObject({ status: 'success', crypto: { amountReceived: '4000000' } })
    expect(await accept(payment)).toMatchObject({ status: 409, json: { error: { code: 'state_conflict' } } })
  })

  test('is not prevented for the requested asset by an asset that is not configured', async () => {
    const payment = await paymentWithStray({ token: UNKNOWN })
    await receive(payment, { amount: 400n })
    expect((await accept(payment)).json).toMatchObject({
      status: 'success',
      crypto: { asset: 'TUSD', amountReceived: '400' },
    })
  })

  test('is refused while the full requested amount is not final', async () => {
    const payment = await paymentWithStray({ token: UNKNOWN })
    await ledger.block([{ to: payment.address.toLowerCase(), amount: 1_000n }])
    while ((await settlePayments(server.api)) > 0);
    expect(await read(payment)).toMatchObject({ status: 'processing' })
    expect(await accept(payment)).toMatchObject({ status: 409, json: { error: { code: 'state_conflict' } } })
  })
})
