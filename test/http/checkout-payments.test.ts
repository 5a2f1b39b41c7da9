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
import { checkoutServer, type Opened, SOMEBODY, SOMEBODY_ELSE } from './checkouts.ts'
import { happen, windowOver } from './payments.ts'

const { to, link, open, customer, settle, priceEther } = await checkoutServer()
const ledger = await openLedger(to.sql)
/** The books of Base Sepolia, which nobody else writes. */
const far = await openLedger(to.sql, baseSepolia.id)

const actorOf = ({ payment }: Opened) => decodeId('pay', payment.id) ?? ''
/** On a link of its own, unless told otherwise. */
const opened = async (asset?: string, linkId?: string) => {
  const made = await open(linkId ?? (await link()).id, asset === undefined ? {} : { chainId: 31337, asset })
  return { ...made, ...customer(made), actor: actorOf(made) }
}
const depositsOf = (payment: { readonly actor: string }) =>
  to.sql<{ address: string; treasury: string }[]>`
    select address, treasury from deposit_addresses where payment_id = ${payment.actor} order by counter`
type Money = string | null
/** The chain shows this much of a token at the payment's address; null for coins. */
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
  await settlePayments(to.api)
}
/** What it is paid with is picked again, at a price that is good until then. */
const priced = async ({ actor }: { readonly actor: string }, until: number) => {
  const [row] = await to.sql<ActorRow[]>`select * from payments where id = ${actor}`
  if (!row) throw new Error('the payment is not there')
  const { context } = readerOf(paymentKind)(row)
  await happen(to.api, actor, { ...context, type: 'asset_picked', quoteExpiresAt: new Date(until) })
}
/** Of coins, and its price was over a while ago. */
const overdue = async () => {
  const made = await opened('ETH')
  await priced(made, Date.now() - 60_000)
  return { ...made, due: BigInt(made.payment.crypto?.amountExpected ?? 0) }
}

describe('GET /v1/checkout/payments/:id', () => {
  test('200: the same payment, wherever the secret stands', async () => {
    const made = await opened('TUSD')
    const read = await made.read()
    expect(read).toEqual({ ...made.payment, code: 200 } as never)
    const byQuery = await to.call('GET', `${made.path}?clientSecret=${made.clientSecret}`)
    expect([byQuery.status, byQuery.json]).toEqual([200, made.payment])
    // The header goes first.
    const headers = { 'client-secret': 'x' }
    expect((await to.call('GET', `${made.path}?clientSecret=${made.clientSecret}`, { headers })).status).toBe(404)
  })

  test('200: what its chain shows', async () => {
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

  test('200: what came after the price was over is not asked for again', async () => {
    const made = await overdue()
    const asked = async () => (await made.read()).crypto?.paymentUri
    expect(await asked()).toBe(made.payment.crypto?.paymentUri)
    await receive(made, 1_000n, null)
    expect(await asked()).toEndWith(`?value=${made.due - 1_000n}`)
    await arrive(made, made.due - 1_000n, null)
    const nothing = String(made.payment.crypto?.paymentUri).split('?')[0]
    // Nobody has been told of it, and somebody has.
    for (const settle of [async () => {}, () => settlePayments(to.api)]) {
      await settle()
      expect(await made.read()).toMatchObject({
        ...{ status: 'pending', expiresAt: made.payment.expiresAt },
        crypto: { paymentUri: nothing, amountReceived: '0', transfers: [{ state: 'seen' }, { state: 'seen' }] },
      })
    }
  })

  test('400: a query that is not known', async () => {
    const made = await opened()
    const answer = await to.call('GET', `${made.path}?clientSecret=${made.clientSecret}&x=1`)
    expect([answer.status, answer.json]).toMatchObject([400, { error: { code: 'parameter_unknown', param: 'x' } }])
  })
})

describe('POST /v1/checkout/payments/:id/asset', () => {
  test('200: one is picked, and it is asked for at an address that is watched', async () => {
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
    expect((await to.call('POST', `${made.path}/asset`, { json })).status).toBe(200)
  })

  test('200: another one, and the same for a fresh price, at the same address', async () => {
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

  test('200: at another address where the money is to end up elsewhere', async () => {
    const { id, shop: of } = await link()
    await settle(of, { receivingAddress: SOMEBODY, receivingAddresses: { [baseSepolia.id]: SOMEBODY_ELSE } })
    const made = await opened('TUSD', id)
    await made.pick(baseSepolia.id, 'USDC')
    // And the first again where it is not.
    await made.pick(31337, 'ETH')
    const [first, second] = await depositsOf(made)
    expect([first?.treasury, second?.treasury]).toEqual([SOMEBODY, SOMEBODY_ELSE])
    expect((await made.read()).crypto?.address.toLowerCase()).toBe(first?.address ?? '')
  })

  test('200: five tabs that pick at once all see one address', async () => {
    const made = await opened()
    const picks = await Promise.all(['TUSD', 'ETH', 'TUSD', 'ETH', 'TUSD'].map(asset => made.pick(31337, asset)))
    expect(picks.map(({ code }) => code)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(picks.map(({ crypto }) => crypto?.address)).size).toBe(1)
    expect(await depositsOf(made)).toHaveLength(1)
  })

  test('200: on a link that has been closed meanwhile', async () => {
    const { id, actor } = await link()
    const made = await opened(undefined, id)
    await to.api.actors.dispatch({ kind: 'payment_link', actor, event: { type: 'deactivate' } })
    expect((await made.pick(31337, 'TUSD')).code).toBe(200)
  })

  test.each<[string, (made: Awaited<ReturnType<typeof opened>>) => Promise<unknown>]>([
    ['too little has come', made => receive(made, 1n)],
    ['all has come', made => receive(made, 10_000_000n)],
    ['something else has come', made => receive(made, 1n, SENDER)],
    ['it is canceled', made => happen(to.api, made.actor, { type: 'cancel' })],
    ['it has expired', made => happen(to.api, made.actor, windowOver())],
    ['its window is over and nobody knows yet', made => happen(to.api, made.actor, { type: 'end_window' })],
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
    ['all of it, told too late for the price', 1n, null, true],
    ['too little, told too late for the price', 1_000n, null, true],
    ['all of it, told to nobody yet', 1n, null, false],
    ['another asset, told to nobody yet', 1_000n, undefined, false],
  ])('409: once money has come although it does not count: %s', async (_, part, token, isTold) => {
    const made = await overdue()
    await arrive(made, made.due / part, token)
    if (isTold) await settlePayments(to.api)
    const before = await made.read()
    expect(before).toMatchObject({ status: 'pending', crypto: { amountReceived: '0', exception: null } })
    for (const asset of ['ETH', 'TUSD'])
      expect(await made.pick(31337, asset)).toMatchObject({
        ...{ code: 409, error: { code: 'state_conflict', details: { status: 'pending' } } },
      })
    expect(await made.read()).toEqual(before)
  })

  test('409: once money has come on another chain, told to nobody yet', async () => {
    const made = await overdue()
    await arrive(made, 1n, SENDER, far)
    expect((await made.pick(31337, 'ETH')).code).toBe(409)
  })

  test('200: again after a reorganisation has dropped all that had come', async () => {
    const made = await overdue()
    const { number } = await ledger.cursor()
    await arrive(made, made.due, null)
    expect((await made.pick(31337, 'ETH')).code).toBe(409)
    await ledger.rewind(number)
    await settlePayments(to.api)
    expect(await made.pick(31337, 'ETH')).toMatchObject({ code: 200, crypto: { transfers: [{ state: 'orphaned' }] } })
  })

  test('200: when somebody sends test money to a live payment', async () => {
    const made = await overdue()
    await arrive(made, 1n, SENDER, far)
    await to.sql`update chain_cursors set livemode = false where chain_id = ${baseSepolia.id}`
    const payment = (livemode: boolean) => ({ id: made.actor, context: { livemode } })
    expect(await hasReceived(to.sql, payment(true))).toBe(false)
    expect(await hasReceived(to.sql, payment(false))).toBe(true)
  })

  test('money that is told too late for a price while a fresh one is taken is told anew', async () => {
    const made = await overdue()
    await receive(made, made.due, null)
    expect(await made.read()).toMatchObject({ status: 'pending', crypto: { amountReceived: '0' } })
    // As a pick that has looked before it came.
    await priced(made, Date.now() + 60_000)
    await settlePayments(to.api)
    expect(await made.read()).toMatchObject({ status: 'processing', crypto: { amountReceived: String(made.due) } })
  })

  test('money that comes at that moment is of the one or of the other, and never lost', async () => {
    for (let n = 0; n < 3; n++) {
      const made = await opened('TUSD')
      const [picked] = await Promise.all([made.pick(31337, 'ETH'), receive(made, 10_000_000n)])
      // Whoever was about to tell the one is told by the next round what the other has become.
      await settlePayments(to.api)
      const { status, crypto } = await made.read()
      expect([picked.code, status, crypto?.asset, crypto?.exception]).toEqual(
        picked.code === 200 ? [200, 'pending', 'ETH', 'wrong_asset'] : [409, 'processing', 'TUSD', null],
      )
    }
  })

  test('422 and 503 as when it is opened, and it stays as it was', async () => {
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
    const answer = await to.call('POST', '/v1/checkout/payments/pay_x/asset', { json })
    expect([answer.status, answer.json]).toMatchObject([400, { error: { code, param } }])
  })
})

describe('POST /v1/checkout/payments/:id/transaction', () => {
  const hash = (digit: string) => `0x${digit.repeat(64)}`
  const submitted = async ({ actor }: { readonly actor: string }) =>
    (await to.sql<{ tx_hash: string }[]>`select tx_hash from submissions where payment_id = ${actor}`).map(
      row => row.tx_hash,
    )

  test('200: it is kept once, and changes nothing by itself', async () => {
    const made = await opened('TUSD')
    for (const text of [hash('a'), hash('A').replace('X', 'x'), hash('a')])
      expect(await made.submit(text)).toEqual({ ...made.payment, code: 200 } as never)
    expect(await submitted(made)).toEqual([hash('a')])
  })

  test('200 before an asset is picked, and after all is over, where it says nothing', async () => {
    const made = await opened()
    expect((await made.submit(hash('b'))).code).toBe(200)
    const canceled = await opened('TUSD')
    await happen(to.api, canceled.actor, { type: 'cancel' })
    expect(await canceled.submit(hash('b'))).toMatchObject({ code: 200, status: 'canceled' })
    expect([await submitted(made), await submitted(canceled)]).toEqual([[], []])
  })

  test('409: nobody pays by eleven transactions', async () => {
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
    ['a hash with a line behind it', { txHash: `${hash('a')}\n` }, 'parameter_invalid'],
    ['a hash with a digit that is none', { txHash: hash('g') }, 'parameter_invalid'],
  ])('400: %s', async (_, json, code) => {
    const answer = await to.call('POST', '/v1/checkout/payments/pay_x/transaction', { json })
    expect([answer.status, answer.json]).toMatchObject([400, { error: { code, param: 'txHash' } }])
  })
})
