import { describe, expect, test } from 'bun:test'
import { checksummed } from '../../src/chain/checksum.ts'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { settlePayments } from '../../src/chain/watch/settle.ts'
import { paymentRoutes } from '../../src/http/payments.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { giveOut, hashOf, openLedger, SENDER, type Sent, TOKEN } from '../chain/watch/ledger.ts'
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
const server = await twoShops({
  routes: [...paymentRoutes, ...refundRoutes],
  chains: outside => connectChains([here, { ...here, id: ELSEWHERE, network: 'Elsewhere' }], () => [], outside),
})
const { to, lamps, ask } = server
const { start, made } = refundCalls(server)
const ledger = await openLedger(to.sql)
const elsewhere = await openLedger(to.sql, ELSEWHERE)
/** As of a chain that was switched off since. */
const off = await openLedger(to.sql, 31339)

/** A payment of ten dollars in test dollars, whose customer has sent something else. */
const strayed = async (sent: Partial<Sent>, on = ledger): Promise<MadePayment> => {
  const payment = await makePayment(to.api, { merchantId: lamps.merchantId, livemode: false }, 'picked')
  await giveOut(to.sql, payment)
  await receive(payment, sent, on)
  return payment
}

const receive = async ({ address }: MadePayment, sent: Partial<Sent>, on = ledger) => {
  await on.block([{ to: address.toLowerCase(), amount: 1n, tx: hashOf(Math.random()), ...sent }])
  await on.finalize()
  while ((await settlePayments(to.api)) > 0);
}

const accept = async ({ id }: MadePayment) => {
  const { path, owner } = lamps
  return ask('POST', `/payments/${id}/resolve`, { path, bearer: owner.bearer, json: { action: 'accept' } })
}

const read = async ({ id }: MadePayment) => (await ask('GET', `/payments/${id}`)).json

describe('a payment whose money in another asset is accepted', () => {
  test('has received what another stablecoin of its currency is worth, and gives that back', async () => {
    const payment = await strayed({ token: OTHER, amount: 4_000_000n })
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

  test.each<[string, Partial<Sent>, typeof ledger, object]>([
    ['in the coin of another chain', { token: null, amount: 5_000n }, elsewhere, { chainId: ELSEWHERE, asset: 'ETH' }],
    ['in a stablecoin of another currency', { token: EURO, amount: 5_000n }, ledger, { chainId: 31337, asset: 'OEUR' }],
  ])('has received its price in full %s, and gives that back by parts', async (_, sent, on, pick) => {
    const payment = await strayed(sent, on)
    expect((await accept(payment)).json).toMatchObject({
      status: 'success',
      crypto: { ...pick, amountExpected: '5000', amountReceived: '5000' },
    })
    expect(await made(payment.id, { amountMinor: 300 })).toMatchObject({ crypto: { ...pick, amount: '1500' } })
    expect(await made(payment.id)).toMatchObject({ amountMinor: 700, crypto: { ...pick, amount: '3500' } })
  })

  test('waits for a person again when what it asked for comes after all', async () => {
    const payment = await strayed({ token: OTHER, amount: 10_000_000n })
    await accept(payment)
    const attention = async () =>
      (await to.sql<{ attention: boolean }[]>`select attention from payments where id = ${payment.actor}`)[0]?.attention
    expect(await attention()).toBe(false)
    await receive(payment, { amount: 1_000n })
    expect(await attention()).toBe(true)
    expect(await read(payment)).toMatchObject({
      status: 'success',
      crypto: { asset: 'OUSD', amountReceived: '10000000' },
    })
  })

  test('takes the asset that came first where several came', async () => {
    const payment = await strayed({ token: EURO, amount: 7n })
    await receive(payment, { token: OTHER, amount: 10_000_000n })
    expect((await accept(payment)).json).toMatchObject({ crypto: { asset: 'OEUR', amountReceived: '7' } })
    expect(await to.sql`select stray, final_strays from payments where id = ${payment.actor}`).toEqual([
      { stray: 'wrong_asset', final_strays: 1 },
    ] as never)
  })

  test.each<[string, Partial<Sent>, typeof ledger, object]>([
    ['of a chain that is switched off', { token: null }, off, { chainId: 31339, tokenAddress: null }],
    ['that is not configured', { token: UNKNOWN }, ledger, { chainId: 31337, tokenAddress: checksummed(UNKNOWN) }],
  ])('is refused while all that came is an asset %s', async (_, sent, on, asset) => {
    const payment = await strayed(sent, on)
    expect(await accept(payment)).toMatchObject({
      status: 422,
      json: { error: { code: 'unsupported_asset', details: { assets: [asset] } } },
    })
    expect(await read(payment)).toMatchObject({ status: 'pending' })
    // What is known beside it can be accepted.
    await receive(payment, { token: OTHER, amount: 4_000_000n })
    expect((await accept(payment)).json).toMatchObject({ status: 'success', crypto: { amountReceived: '4000000' } })
    expect(await accept(payment)).toMatchObject({ status: 409, json: { error: { code: 'state_conflict' } } })
  })

  test('an asset that is not configured does not keep picked money from being accepted', async () => {
    const payment = await strayed({ token: UNKNOWN })
    await receive(payment, { amount: 400n })
    expect((await accept(payment)).json).toMatchObject({
      status: 'success',
      crypto: { asset: 'TUSD', amountReceived: '400' },
    })
  })

  test('while picked money in full is not final, it is in no state to be accepted', async () => {
    const payment = await strayed({ token: UNKNOWN })
    await ledger.block([{ to: payment.address.toLowerCase(), amount: 1_000n }])
    while ((await settlePayments(to.api)) > 0);
    expect(await read(payment)).toMatchObject({ status: 'processing' })
    expect(await accept(payment)).toMatchObject({ status: 409, json: { error: { code: 'state_conflict' } } })
  })
})
