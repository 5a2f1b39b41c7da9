import { describe, expect, test } from 'bun:test'
import type { ActorRow } from '../../src/actors/rows.ts'
import { baseSepolia } from '../../src/chain/known/base.ts'
import { settlePayments } from '../../src/chain/watch/settle.ts'
import { decodeId } from '../../src/ids.ts'
import { paymentKind } from '../../src/kinds/payment.ts'
import { readerOf } from '../../src/queries/actors.ts'
import { hasReceived } from '../../src/queries/deposits.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { openLedger, SENDER } from '../chain/watch/ledger.ts'
import { checkoutServer, type Opened, OTHER_TREASURY, TREASURY } from './checkouts.ts'
import { happen, windowOver } from './payments.ts'

const { server, link, open, customer, settle, priceEther } = await checkoutServer()
const ledger = await openLedger(server.sql)
/** The ledger of Base Sepolia, to which only this file writes. */
const sepoliaLedger = await openLedger(server.sql, baseSepolia.id)

const actorOf = ({ payment }: Opened) => decodeId('pay', payment.id) ?? ''
/** On a link of its own by default. */
const opened = async (asset?: string, linkId?: string) => {
  const made = await open(linkId ?? (await link()).id, asset === undefined ? {} : { chainId: 31337, asset })
  return { ...made, ...customer(made), actor: actorOf(made) }
}
const depositsOf = (payment: { readonly actor: string }) =>
  server.sql<{ address: string; treasury: string }[]>`
    select address, treasury from deposit_addresses where payment_id = ${payment.actor} order by counter`
type Money = string | null
/** The chain contains a transfer of this amount to the payment's address; token null is the native currency. */
const arrive = async (
  payment: { readonly actor: string },
  amount: bigint,
  token: Money = sandboxContracts.token,
  books = ledger,
) => {
  const [deposit] = await depositsOf(payment)
  await books.block([{ to: deposit?.address ?? '', amount, token }])
}
const receive = async (payment: { readonly actor: string }, amount: bigint, token?: Money) => {
  await arrive(payment, amount, token)
  await settlePayments(server.api)
}
/** The asset is picked again, with a quote that expires at `until`. */
const priced = async ({ actor }: { readonly actor: string }, until: number) => {
  const [row] = await server.sql<ActorRow[]>`select * from payments where id = ${actor}`
  if (!row) throw new Error('the payment is missing')
  const { context } = readerOf(paymentKind)(row)
  await happen(server.api, actor, { ...context, type: 'asset_picked', quoteExpiresAt: new Date(until) })
}
/** A payment in ether whose quote expired a while ago. */
const openWithExpiredQuote = async () => {
  const made = await opened('ETH')
  await priced(made, Date.now() - 60_000)
  return { ...made, due: BigInt(made.payment.crypto?.amountExpected ?? 0) }
}

describe('GET /v1/checkout/payments/:id', () => {
  test('200: the same payment, with the secret in the header or the query', async () => {
    const made = await opened('TUSD')
    const read = await made.read()
    expect(read).toEqual({ ...made.payment, code: 200 } as never)
    const byQuery = await server.call('GET', `${made.path}?clientSecret=${made.clientSecret}`)
    expect([byQuery.status, byQuery.json]).toEqual([200, made.payment])
    // The header has priority.
    const headers = { 'client-secret': 'x' }
    expect((await server.call('GET', `${made.path}?clientSecret=${made.clientSecret}`, { headers })).status).toBe(404)
  })

  test('200: the transfers on its chain', async () => {
    const made = await opened('TUSD')
    await receive(made, 4_000_000n)
    await ledger.block()
    expect(await made.read()).toMatchObject({
      status: 'pending',
      crypto: {
        ...{ exception: 'underpaid', amountReceived: '4000000', confirmations: 2 },
        transfers: [{ amount: '4000000', state: 'seen', confirmations: 2 }],
      },
    })
  })

  test('200: what arrived after the quote expired is not requested again', async () => {
    const made = await openWithExpiredQuote()
    const paymentUri = async () => (await made.read()).crypto?.paymentUri
    expect(await paymentUri()).toBe(made.payment.crypto?.paymentUri)
    await receive(made, 1_000n, null)
    expect(await paymentUri()).toEndWith(`?value=${made.due - 1_000n}`)
    await arrive(made, made.due - 1_000n, null)
    const nothing = String(made.payment.crypto?.paymentUri).split('?')[0]
    // Before and after the payment is notified of it.
    for (const settle of [async () => {}, () => settlePayments(server.api)]) {
      await settle()
      expect(await made.read()).toMatchObject({
        ...{ status: 'pending', expiresAt: made.payment.expiresAt },
        crypto: { paymentUri: nothing, amountReceived: '0', transfers: [{ state: 'seen' }, { state: 'seen' }] },
      })
    }
  })

  test('400: an unknown query parameter', async () => {
    const made = await opened()
    const answer = await server.call('GET', `${made.path}?clientSecret=${made.clientSecret}&x=1`)
    expect([answer.status, answer.json]).toMatchObject([400, { error: { code: 'parameter_unknown', param: 'x' } }])
  })
})

describe('POST /v1/checkout/payments/:id/asset', () => {
  test('200: an asset is picked, and its payment goes to a watched address', async () => {
    const made = await opened()
    const picked = await made.pick(31337, 'TUSD')
    expect(picked).toMatchObject({ code: 200, crypto: { asset: 'TUSD', amountExpected: '10000000' } })
    expect(picked.crypto?.address.toLowerCase()).toBe((await depositsOf(made))[0]?.address ?? '')
    expect(await made.read()).toEqual(picked)
    await receive(made, 10_000_000n)
    expect(await made.read()).toMatchObject({ status: 'processing' })
  })

  test('200: with the secret in the body', async () => {
    const made = await opened()
    const json = { chainId: 31337, asset: 'TUSD', clientSecret: made.clientSecret }
    expect((await server.call('POST', `${made.path}/asset`, { json })).status).toBe(200)
  })

  test('200: another asset, and the same one for a fresh quote, keep the address', async () => {
    const made = await opened('TUSD')
    const ether = await made.pick(31337, 'ETH')
    expect(ether.crypto).toMatchObject({ asset: 'ETH', amountExpected: '4000000000000000' })
    await priceEther(2_400)
    const again = await made.pick(31337, 'ETH')
    expect(again.crypto).toMatchObject({ amountExpected: '4166666666666667', quote: { rate: '2400' } })
    await priceEther(2_500)
    const back = await made.pick(31337, 'TUSD')
    expect(back.crypto).toMatchObject({ asset: 'TUSD', amountExpected: '10000000', quote: null })
    expect(new Set([made.payment, ether, again, back].map(({ crypto }) => crypto?.address)).size).toBe(1)
    expect(await depositsOf(made)).toHaveLength(1)
    expect(back.expiresAt).toBe(made.payment.expiresAt)
  })

  test('200: the address changes with the treasury', async () => {
    const { id, shop: of } = await link()
    await settle(of, { receivingAddress: TREASURY, receivingAddresses: { [baseSepolia.id]: OTHER_TREASURY } })
    const made = await opened('TUSD', id)
    await made.pick(baseSepolia.id, 'USDC')
    // And changes back with the treasury.
    await made.pick(31337, 'ETH')
    const [first, second] = await depositsOf(made)
    expect([first?.treasury, second?.treasury]).toEqual([TREASURY, OTHER_TREASURY])
    expect((await made.read()).crypto?.address.toLowerCase()).toBe(first?.address ?? '')
  })

  test('200: five browser tabs that pick at the same time all see one address', async () => {
    const made = await opened()
    const picks = await Promise.all(['TUSD', 'ETH', 'TUSD', 'ETH', 'TUSD'].map(asset => made.pick(31337, asset)))
    expect(picks.map(({ code }) => code)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(picks.map(({ crypto }) => crypto?.address)).size).toBe(1)
    expect(await depositsOf(made)).toHaveLength(1)
  })

  test('200: on a link that was closed in the meantime', async () => {
    const { id, actor } = await link()
    const made = await opened(undefined, id)
    await server.api.actors.dispatch({ kind: 'payment_link', actor, event: { type: 'deactivate' } })
    expect((await made.pick(31337, 'TUSD')).code).toBe(200)
  })

  test.each<[string, (made: Awaited<ReturnType<typeof opened>>) => Promise<unknown>]>([
    ['too little has arrived', made => receive(made, 1n)],
    ['the full amount has arrived', made => receive(made, 10_000_000n)],
    ['another asset has arrived', made => receive(made, 1n, SENDER)],
    ['it is canceled', made => happen(server.api, made.actor, { type: 'cancel' })],
    ['it has expired', made => happen(server.api, made.actor, windowOver())],
    [
      'its window is over but the chain has not been scanned that far',
      made => happen(server.api, made.actor, { type: 'end_window' }),
    ],
  ])('409: once %s', async (_, come) => {
    const made = await opened('TUSD')
    await come(made)
    const before = await made.read()
    for (const asset of ['ETH', 'TUSD'])
      expect(await made.pick(31337, asset)).toMatchObject({
        ...{ code: 409, error: { code: 'state_conflict', details: { status: before.status } } },
      })
    expect(await made.read()).toEqual(before)
  })

  test.each<[string, bigint, Money | undefined, boolean]>([
    ['the full amount, credited too late for the quote', 1n, null, true],
    ['too little, credited too late for the quote', 1_000n, null, true],
    ['the full amount, not credited yet', 1n, null, false],
    ['another asset, not credited yet', 1_000n, undefined, false],
  ])('409: once money has arrived that does not count: %s', async (_, part, token, isCredited) => {
    const made = await openWithExpiredQuote()
    await arrive(made, made.due / part, token)
    if (isCredited) await settlePayments(server.api)
    const before = await made.read()
    expect(before).toMatchObject({ status: 'pending', crypto: { amountReceived: '0', exception: null } })
    for (const asset of ['ETH', 'TUSD'])
      expect(await made.pick(31337, asset)).toMatchObject({
        ...{ code: 409, error: { code: 'state_conflict', details: { status: 'pending' } } },
      })
    expect(await made.read()).toEqual(before)
  })

  test('409: once money has arrived on another chain and is not credited yet', async () => {
    const made = await openWithExpiredQuote()
    await arrive(made, 1n, SENDER, sepoliaLedger)
    expect((await made.pick(31337, 'ETH')).code).toBe(409)
  })

  test('200: again after a reorg has removed everything that had arrived', async () => {
    const made = await openWithExpiredQuote()
    const { number } = await ledger.cursor()
    await arrive(made, made.due, null)
    expect((await made.pick(31337, 'ETH')).code).toBe(409)
    await ledger.rewind(number)
    await settlePayments(server.api)
    expect(await made.pick(31337, 'ETH')).toMatchObject({ code: 200, crypto: { transfers: [{ state: 'orphaned' }] } })
  })

  test('200: when test money was sent to a live payment', async () => {
    const made = await openWithExpiredQuote()
    await arrive(made, 1n, SENDER, sepoliaLedger)
    await server.sql`update chain_cursors set livemode = false where chain_id = ${baseSepolia.id}`
    const payment = (livemode: boolean) => ({ id: made.actor, context: { livemode } })
    expect(await hasReceived(server.sql, payment(true))).toBe(false)
    expect(await hasReceived(server.sql, payment(false))).toBe(true)
  })

  test('money that was too late for one quote is credited again when a fresh quote is taken at the same time', async () => {
    const made = await openWithExpiredQuote()
    await receive(made, made.due, null)
    expect(await made.read()).toMatchObject({ status: 'pending', crypto: { amountReceived: '0' } })
    // Like a pick that checked for money before it arrived.
    await priced(made, Date.now() + 60_000)
    await settlePayments(server.api)
    expect(await made.read()).toMatchObject({ status: 'processing', crypto: { amountReceived: String(made.due) } })
  })

  test('money that arrives during a pick is credited to the old or to the new asset, and never lost', async () => {
    for (let n = 0; n < 3; n++) {
      const made = await opened('TUSD')
      const [picked] = await Promise.all([made.pick(31337, 'ETH'), receive(made, 10_000_000n)])
      // The next round credits what the first one refused because the asset had changed.
      await settlePayments(server.api)
      const { status, crypto } = await made.read()
      expect([picked.code, status, crypto?.asset, crypto?.exception]).toEqual(
        picked.code === 200 ? [200, 'pending', 'ETH', 'wrong_asset'] : [409, 'processing', 'TUSD', null],
      )
    }
  })

  test('422 and 503 as when it is opened, and the payment stays as it was', async () => {
    const { id } = await link({ assets: ['TUSD', 'ETH'].map(asset => ({ chainId: 31337, asset })) })
    const made = await opened('TUSD', id)
    const unsupported = { code: 422, error: { code: 'unsupported_asset', param: 'asset' } }
    expect(await made.pick(31337, 'DOGE')).toMatchObject(unsupported)
    expect(await made.pick(baseSepolia.id, 'USDC')).toMatchObject(unsupported)
    await priceEther(0)
    expect(await made.pick(31337, 'ETH')).toMatchObject({ code: 503, error: { code: 'rate_unavailable' } })
    await priceEther(2_500)
    expect(await made.read()).toMatchObject(made.payment)
  })

  test.each<[string, object, string, string]>([
    ['nothing', {}, 'parameter_missing', 'asset'],
    ['no chain', { asset: 'TUSD' }, 'parameter_missing', 'chainId'],
    ['no asset', { chainId: 31337 }, 'parameter_missing', 'asset'],
    ['chain 1.5', { chainId: 1.5, asset: 'TUSD' }, 'parameter_invalid', 'chainId'],
    ['an asset with a blank', { chainId: 1, asset: 'T USD' }, 'parameter_invalid', 'asset'],
    ['a secret that is a number', { chainId: 1, asset: 'A', clientSecret: 1 }, 'parameter_invalid', 'clientSecret'],
    ['more', { chainId: 1, asset: 'A', amount: '1' }, 'parameter_unknown', 'amount'],
  ])('400: %s', async (_, json, code, param) => {
    const answer = await server.call('POST', '/v1/checkout/payments/pay_x/asset', { json })
    expect([answer.status, answer.json]).toMatchObject([400, { error: { code, param } }])
  })
})

describe('POST /v1/checkout/payments/:id/transaction', () => {
  const hash = (digit: string) => `0x${digit.repeat(64)}`
  const submitted = async ({ actor }: { readonly actor: string }) =>
    (await server.sql<{ tx_hash: string }[]>`select tx_hash from submissions where payment_id = ${actor}`).map(
      row => row.tx_hash,
    )

  test('200: the transaction is stored once and changes nothing by itself', async () => {
    const made = await opened('TUSD')
    for (const text of [hash('a'), hash('A').replace('X', 'x'), hash('a')])
      expect(await made.submit(text)).toEqual({ ...made.payment, code: 200 } as never)
    expect(await submitted(made)).toEqual([hash('a')])
  })

  test('200: before an asset is picked, and after the payment has ended, where it has no effect', async () => {
    const made = await opened()
    expect((await made.submit(hash('b'))).code).toBe(200)
    const canceled = await opened('TUSD')
    await happen(server.api, canceled.actor, { type: 'cancel' })
    expect(await canceled.submit(hash('b'))).toMatchObject({ code: 200, status: 'canceled' })
    expect([await submitted(made), await submitted(canceled)]).toEqual([[], []])
  })

  test('409: more than ten transactions', async () => {
    const made = await opened('TUSD')
    for (const digit of '0123456789') expect((await made.submit(hash(digit))).code).toBe(200)
    expect(await made.submit(hash('a'))).toMatchObject({ code: 409, error: { code: 'state_conflict' } })
    expect((await made.submit(hash('3'))).code).toBe(200)
  })

  test.each<[string, object, string]>([
    ['no hash', {}, 'parameter_missing'],
    ['a hash of null', { txHash: null }, 'parameter_invalid'],
    ['a hash of 63 digits', { txHash: hash('a').slice(0, -1) }, 'parameter_invalid'],
    ['a hash of 65 digits', { txHash: `${hash('a')}a` }, 'parameter_invalid'],
    ['a hash without 0x', { txHash: hash('a').slice(2) }, 'parameter_invalid'],
    ['a hash followed by a line break', { txHash: `${hash('a')}\n` }, 'parameter_invalid'],
    ['a hash with an invalid digit', { txHash: hash('g') }, 'parameter_invalid'],
  ])('400: %s', async (_, json, code) => {
    const answer = await server.call('POST', '/v1/checkout/payments/pay_x/transaction', { json })
    expect([answer.status, answer.json]).toMatchObject([400, { error: { code, param: 'txHash' } }])
  })
})
