import { describe, expect, test } from 'bun:test'
import { checksummed } from '../../src/chain/checksum.ts'
import { forwarderOf, saltOf } from '../../src/chain/forwarder.ts'
import { baseMainnet, baseSepolia } from '../../src/chain/known/base.ts'
import { storeStopped } from '../../src/chain/watch/chain-state.ts'
import { recoverySecretOf } from '../../src/commands/deposits.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { callNode } from '../../src/sandbox/node-client.ts'
import { sandboxTreasury } from '../../src/sandbox/treasury.ts'
import { openLedger } from '../chain/watch/ledger.ts'
import { rewrite } from '../harness/rewrite.ts'
import { until } from '../harness/until.ts'
import { checkoutServer, OTHER_TREASURY, TREASURY, type Visited } from './checkouts.ts'
import { makeLink } from './links.ts'
import { makePayment } from './payments.ts'
import { type Shop, shop } from './people.ts'
import { refusedBodies } from './refused-checkouts.ts'

const { server, chain, link, visit, open, settle, priceEther } = await checkoutServer()

/** A link for requests that are refused. */
const refusingLink = await link()

const minutes = (count: number) => count * 60_000
/** A link in live mode. */
const live = async (of?: Shop) => {
  const made = of ?? (await shop(server.api))
  return { of: made, id: (await makeLink(server.api, { ...made, livemode: true }, { assets: null })).id }
}
/** Of wei at 2,500 dollars, rounded up. */
const cents = (wei: bigint) => Number((wei * 250_000n + 10n ** 18n - 1n) / 10n ** 18n)
const symbols = ({ options }: Visited) => options.map(({ chainId, asset }) => `${chainId} ${asset}`)
const rowOf = async (id: string) => {
  const [row] = await server.sql`select * from payments where id = ${decodeId('pay', id) ?? ''}`
  return row ?? {}
}
/** Links that have ended, by the way they ended. */
const closed: Readonly<Record<string, () => Promise<{ readonly id: string }>>> = {
  deactivated: async () => {
    const made = await link()
    await server.api.actors.dispatch({ kind: 'payment_link', actor: made.actor, event: { type: 'deactivate' } })
    return made
  },
  completed: async () => {
    const { merchantId } = await shop(server.api)
    const { linkId } = await makePayment(server.api, { merchantId, livemode: false }, 'success', { maxPayments: 1 })
    return { id: linkId }
  },
  expired: async () => {
    const made = await link({ expiresAt: new Date(Date.now() + minutes(1)) })
    const [timer] = await server.sql<{ name: string; generation: number }[]>`
      select name, generation from timers where actor = ${made.actor}`
    const { name = '', generation = 0 } = timer ?? {}
    await server.api.actors.dispatch({ kind: 'payment_link', actor: made.actor, timer: { name, generation } })
    return made
  },
}

describe('GET /v1/checkout/links/:linkId', () => {
  test('200: exactly what a customer may see, and the amount in every asset', async () => {
    const { id } = await link({ title: 'A lamp', reference: 'order 7', metadata: { shelf: 'B' }, windowMinutes: 10 })
    const before = Date.now()
    const gasPrice = BigInt(String(await callNode(chain.url, 'eth_gasPrice')))
    const { status, link: shown, options } = await visit(id)
    expect([status, shown]).toEqual([
      200,
      {
        id,
        merchantName: 'Lamps',
        title: 'A lamp',
        description: null,
        amountMinor: 1000,
        currency: 'USD',
        status: 'active',
      },
    ])
    const tokenAddress = checksummed(sandboxContracts.token)
    const sandbox = { chainId: 31337, network: 'Sandbox' }
    expect(options).toEqual([
      {
        ...{ ...sandbox, asset: 'TUSD', decimals: 6, tokenAddress, amount: '10000000' },
        ...{ networkFeeMinor: cents(65_000n * gasPrice), quoteExpiresAt: null },
      },
      {
        ...{ ...sandbox, asset: 'ETH', decimals: 18, tokenAddress: null, amount: '4000000000000000' },
        ...{ networkFeeMinor: cents(21_000n * gasPrice), quoteExpiresAt: expect.any(String) },
      },
    ])
    // Not later than the window.
    const left = Date.parse(options[1]?.quoteExpiresAt ?? '') - before
    expect(left).toBeGreaterThan(minutes(9))
    expect(left).toBeLessThanOrEqual(minutes(11))
  })

  test('200: only chains on which the merchant can be paid, and only those of the mode', async () => {
    const { id, shop: of } = await link()
    const sepolia = `${baseSepolia.id} USDC`
    expect(symbols(await visit(id))).toEqual(['31337 TUSD', '31337 ETH'])
    await settle(of, { receivingAddresses: { [baseSepolia.id]: TREASURY } })
    expect(symbols(await visit(id))).toEqual(['31337 TUSD', sepolia, '31337 ETH'])
    await settle(of, { receivingAddresses: { [baseSepolia.id]: null }, receivingAddress: TREASURY })
    expect(symbols(await visit(id))).toEqual(['31337 TUSD', sepolia, '31337 ETH'])
    await settle(of, { receivingAddress: null })
    expect(symbols(await visit(id))).toEqual(['31337 TUSD', '31337 ETH'])

    const { id: ofLive } = await live(of)
    expect(symbols(await visit(ofLive))).toEqual([])
    await settle(of, { receivingAddress: TREASURY }, true)
    expect(symbols(await visit(ofLive))).toEqual([`${baseMainnet.id} USDC`])
  })

  test('200: assets at par come first, then those with the lowest network fee; an unknown fee is null', async () => {
    const { id, shop: of } = await link()
    await settle(of, { receivingAddress: TREASURY })
    const shown = async (linkId: string) =>
      (await visit(linkId)).options.map(({ chainId, asset, networkFeeMinor }) => [chainId, asset, networkFeeMinor])
    // The nodes of the second chain are unreachable.
    const [token, native] = [expect.any(Number), expect.any(Number)]
    expect(await shown(id)).toEqual([
      [31337, 'TUSD', token],
      [baseSepolia.id, 'USDC', null],
      [31337, 'ETH', native],
    ])
    const { id: inEuros } = await link({ currency: 'EUR' }, of)
    expect(await shown(inEuros)).toEqual([
      [baseSepolia.id, 'EURC', null],
      [31337, 'ETH', native],
      [31337, 'TUSD', token],
    ])
    const [, fee = 0, more = 0] = (await shown(inEuros)).map(([, , minor]) => Number(minor))
    expect(fee).toBeGreaterThan(0)
    expect(more).toBeGreaterThan(fee)
  })

  test('200: only assets that the link accepts', async () => {
    const asset = (chainId: number, symbol: string) => ({ chainId, asset: symbol })
    const { id } = await link({ assets: [asset(31337, 'ETH'), asset(1, 'TUSD'), asset(31337, 'DOGE')] })
    expect(symbols(await visit(id))).toEqual(['31337 ETH'])
  })

  test('200: assets without a price are left out', async () => {
    const { id } = await link()
    await priceEther(0)
    expect(symbols(await visit(id))).toEqual(['31337 TUSD'])
    // A node that answers too slowly gives no price either.
    await until(async () => {
      await priceEther(2_500)
      return symbols(await visit(id)).includes('31337 ETH')
    })
  })

  test.each(Object.entries(closed))(
    '200: a link that is %s shows its status and offers no assets',
    async (how, make) => {
      const { id } = await make()
      expect(await visit(id)).toMatchObject({ status: 200, link: { status: how }, options: [] })
      expect(await open(id)).toMatchObject({ status: 409, error: { code: 'payment_link_not_active' } })
      expect(await open(id, { chainId: 31337, asset: 'TUSD' })).toMatchObject({ status: 409 })
    },
  )

  test('200: an expired link is expired exactly at its time, before its timer runs', async () => {
    const { id, actor } = await link({ expiresAt: new Date(Date.now() + minutes(5)) })
    expect((await visit(id)).link.status).toBe('active')
    await rewrite(server.sql, 'payment_links', [actor], { expires_at: new Date() })
    expect(await visit(id)).toMatchObject({ link: { status: 'expired' }, options: [] })
    expect(await open(id)).toMatchObject({ status: 409, error: { code: 'payment_link_not_active' } })
  })
})

describe('POST /v1/checkout/links/:linkId/payments', () => {
  test("201: a payment without an asset, without the merchant's private fields", async () => {
    const { id, actor, shop: of } = await link({ reference: 'order 8', metadata: { shelf: 'B' }, windowMinutes: 45 })
    const { status, payment, clientSecret } = await open(id, {
      ...{ customerEmail: ' Ada@Example.com ', customerName: ' Ada ' },
    })
    expect(status).toBe(201)
    expect(payment).toEqual({
      ...{ object: 'payment', id: payment.id, merchantId: encodeId('mer', of.merchantId), method: 'crypto' },
      ...{ status: 'pending', amountMinor: 1000, amountRefundedMinor: 0, currency: 'USD', failureReason: null },
      ...{ customerEmail: 'Ada@Example.com', customerName: 'Ada', paymentLinkId: id, livemode: false, crypto: null },
      ...{ createdAt: payment.createdAt, updatedAt: payment.createdAt, expiresAt: payment.expiresAt },
      receiptUrl: payment.receiptUrl,
    } as never)
    expect(Date.parse(payment.expiresAt) - Date.parse(payment.createdAt)).toBe(minutes(45))
    expect(clientSecret).toMatch(new RegExp(`^${payment.id}_secret_[\\w-]{43}$`))
    const { id: uuid, reference, metadata } = await rowOf(payment.id)
    expect([reference, metadata]).toEqual(['order 8', { shelf: 'B' }])
    const events =
      await server.sql`select type, json_of(object)->>'reference' as reference from events where actor = ${uuid}`
    expect([...events]).toEqual([{ type: 'payment.created', reference: 'order 8' }])
    expect(
      await server.sql`select split_part(cause, ' ', 1) as cause from transitions where actor in (${uuid}, ${actor}) and event = 'open_payment'`,
    ).toEqual([{ cause: 'customer' }] as never)
    expect((await open(id, { customerName: null })).payment).toMatchObject({ customerName: null })
    expect((await open(id, { customerName: ' ' })).payment).toMatchObject({ customerName: null })
    const customerName = '😀'.repeat(200)
    expect((await open(id, { customerName })).payment).toMatchObject({ customerName })
  })

  test("201: with an asset it has its own address, in the sandbox for the merchant's own treasury", async () => {
    const { id, shop: of } = await link()
    const { status, payment } = await open(id, { chainId: 31337, asset: 'TUSD' })
    const [deposit] = await server.sql<{ address: string; treasury: string; counter: string }[]>`
      select address, treasury, counter from deposit_addresses where payment_id = ${decodeId('pay', payment.id) ?? ''}`
    const { address, treasury, counter } = deposit ?? { address: '', treasury: '', counter: '' }
    expect(treasury).toBe(sandboxTreasury(of.merchantId))
    const secret = await recoverySecretOf(server.api, server.api.keyring, of.merchantId)
    expect(address).toBe(forwarderOf(sandboxTreasury(of.merchantId))(saltOf(secret, Number(counter))))
    const tokenAddress = checksummed(sandboxContracts.token)
    expect(status).toBe(201)
    expect(payment.crypto).toEqual({
      ...{ chainId: 31337, network: 'Sandbox', asset: 'TUSD', tokenAddress, decimals: 6 },
      ...{ address: checksummed(address), payerAddress: null, txHash: null, blockNumber: null },
      ...{ confirmations: 0, confirmationsRequired: 3, amountExpected: '10000000', amountReceived: '0' },
      ...{ exception: null, quote: null, transfers: [], explorerUrl: null },
      paymentUri: `ethereum:${tokenAddress}@31337/transfer?address=${checksummed(address)}&uint256=10000000`,
    })
    // Another merchant has another treasury.
    expect(sandboxTreasury((await shop(server.api)).merchantId)).not.toBe(treasury)
  })

  test('201: ether at the current price', async () => {
    const { id } = await link()
    await priceEther(2_400)
    const { payment } = await open(id, { chainId: 31337, asset: 'ETH' })
    expect(payment.crypto).toMatchObject({
      ...{ asset: 'ETH', tokenAddress: null, decimals: 18, amountExpected: '4166666666666667' },
      quote: { rate: '2400', source: 'chainlink ETH / USD', expiresAt: expect.any(String) },
    })
    await priceEther(2_500)
  })

  test("201: by the merchant's settings for this chain and for the others", async () => {
    const { id, shop: of } = await link()
    await settle(of, {
      ...{ receivingAddress: TREASURY, receivingAddresses: { [baseSepolia.id]: OTHER_TREASURY } },
      ...{ toleranceBps: 70, latePolicy: 'needs_attention', confirmations: { 31337: 12, [baseSepolia.id]: 1 } },
    })
    const here = (await open(id, { chainId: 31337, asset: 'TUSD' })).payment
    const there = (await open(id, { chainId: baseSepolia.id, asset: 'USDC' })).payment
    expect(await rowOf(here.id)).toMatchObject({
      ...{ tolerance_bps: 70, late_policy: 'needs_attention', api_version: '2026-11-20', confirmations_required: 12 },
    })
    // Never less than the minimum of the chain.
    expect(Number((await rowOf(there.id)).confirmations_required)).toBeGreaterThan(1)
    const treasuries = await server.sql<{ treasury: string }[]>`
      select d.treasury from deposit_addresses d join payments p on p.id = d.payment_id
      where d.merchant_id = ${of.merchantId} order by p.chain_id`
    expect(treasuries.map(({ treasury }) => treasury)).toEqual([TREASURY, OTHER_TREASURY])
  })

  test('409: while succeeded and processing payments use up the link', async () => {
    const { id, actor } = await link({ maxPayments: 1 })
    const first = await open(id, { chainId: 31337, asset: 'TUSD' })
    const second = await open(id)
    expect([first.status, second.status]).toEqual([201, 201])
    const paid = String((await rowOf(first.payment.id)).id)
    const seen = { amountReceived: 10_000_000n, payerAddress: null, txHash: null, blockNumber: 7, minedAt: new Date() }
    const event = { type: 'enough_seen', chainId: 31337, asset: 'TUSD', scan: 0, ...seen }
    await server.api.actors.dispatchBundle([
      { kind: 'payment', actor: paid, event },
      { kind: 'payment_link', actor, event: { type: 'payment_processing' } },
    ])
    expect(await open(id)).toMatchObject({ status: 409, error: { code: 'payment_link_not_active' } })
    expect(await visit(id)).toMatchObject({ link: { status: 'active' } })
    const [counts] = await server.sql`select payments_opened from payment_links where id = ${actor}`
    expect(counts).toEqual({ payments_opened: 2 })
    // No chain has the transfer that this test reports, so it is reverted.
    const gone = {
      ...event,
      type: 'reorganized',
      amountReceived: 0n,
      blockNumber: null,
      minedAt: null,
      hasLostAgreed: false,
    }
    await server.api.actors.dispatchBundle([
      { kind: 'payment', actor: paid, event: gone },
      { kind: 'payment_link', actor, event: { type: 'payment_reverted' } },
    ])
  })

  test('422: an asset that the link does not accept, and a chain on which the merchant cannot be paid', async () => {
    const { id } = await link({ assets: [{ chainId: 31337, asset: 'TUSD' }] })
    const { id: any } = await link()
    for (const [linkId, chainId, asset] of [
      [id, 31337, 'ETH'],
      [any, 31337, 'DOGE'],
      [any, 31337, 'tusd'],
      [any, baseSepolia.id, 'USDC'],
      [any, baseMainnet.id, 'USDC'],
      [any, 5, 'ETH'],
    ] as const)
      expect(await open(linkId, { chainId, asset })).toMatchObject({
        ...{ status: 422, error: { code: 'unsupported_asset', param: 'asset' } },
      })
  })

  test('503: on a chain whose final blocks were replaced, until they are back', async () => {
    const { id, shop: of } = await link()
    await settle(of, { receivingAddress: TREASURY })
    const asked = { chainId: baseSepolia.id, asset: 'USDC' }
    const offered = symbols(await visit(id))
    const at = await (await openLedger(server.sql, baseSepolia.id)).cursor()
    await storeStopped(server.sql, baseSepolia.id, at, true)
    expect(symbols(await visit(id))).toEqual(offered.filter(each => each !== `${asked.chainId} USDC`))
    expect(await open(id, asked)).toMatchObject({
      ...{ status: 503, error: { code: 'chain_unavailable', param: 'asset' } },
    })
    await storeStopped(server.sql, baseSepolia.id, at, false)
    expect([symbols(await visit(id)), (await open(id, asked)).status]).toEqual([offered, 201])
  })

  test('422: an asset that no aggregator of its chain can price in the currency', async () => {
    const { id, shop: of } = await link({ currency: 'EUR' })
    await settle(of, { receivingAddress: TREASURY })
    for (const asset of ['USDC', 'ETH'])
      expect(await open(id, { chainId: baseSepolia.id, asset })).toMatchObject({
        ...{ status: 422, error: { code: 'unsupported_asset', param: 'asset' } },
      })
    expect((await open(id, { chainId: 31337, asset: 'TUSD' })).status).toBe(201)
  })

  test('503: an asset that has no price now, because of the aggregator or an unreachable chain', async () => {
    const { id, shop: of } = await link()
    await settle(of, { receivingAddress: TREASURY })
    await priceEther(0)
    for (const chainId of [31337, baseSepolia.id])
      expect(await open(id, { chainId, asset: 'ETH' })).toMatchObject({
        ...{ status: 503, error: { code: 'rate_unavailable', param: 'asset' } },
      })
    // An asset at par needs no price.
    expect((await open(id, { chainId: baseSepolia.id, asset: 'USDC' })).status).toBe(201)
    await priceEther(2_500)
  })

  test('503: on a chain that was never read and is unreachable; no address is given out', async () => {
    const { of, id } = await live()
    await settle(of, { receivingAddress: TREASURY }, true)
    expect(await open(id, { chainId: baseMainnet.id, asset: 'USDC' })).toMatchObject({
      ...{ status: 503, error: { code: 'chain_unavailable', param: 'chainId' } },
    })
    expect([...(await server.sql`select from deposit_addresses where merchant_id = ${of.merchantId}`)]).toEqual([])
  })

  test('201: reading of a chain begins below its head before the first address is shown', async () => {
    await server.sql`delete from chain_blocks where chain_id = 31337`
    await server.sql`delete from chain_cursors where chain_id = 31337`
    const { id } = await link()
    await chain.mine(5)
    const opened = await Promise.all([1, 2, 3].map(() => open(id, { chainId: 31337, asset: 'TUSD' })))
    expect(opened.map(({ status }) => status)).toEqual([201, 201, 201])
    const { number } = await chain.head()
    const books = await server.sql`
      select number::integer, final_number::integer from chain_cursors where chain_id = 31337`
    expect([...books]).toEqual([{ number: number - 3, final_number: number - 3 }])
    const { hash } = await chain.head(`0x${(number - 3).toString(16)}`)
    expect([...(await server.sql`select hash from chain_blocks where chain_id = 31337`)]).toEqual([{ hash }])
  })

  test.each(refusedBodies)('400: %s', async (_, json, code, param) => {
    const { id, actor } = refusingLink
    expect(await open(id, json)).toMatchObject({ status: 400, error: { code, param } })
    expect([...(await server.sql`select from payments where payment_link_id = ${actor}`)]).toEqual([])
  })

  test('simultaneous requests open a payment each', async () => {
    const { id, actor } = await link()
    const all = await Promise.all(Array.from({ length: 20 }, () => open(id, { chainId: 31337, asset: 'TUSD' })))
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 201))
    expect(new Set(all.map(({ payment }) => payment.crypto?.address)).size).toBe(20)
    expect(new Set(all.map(({ clientSecret }) => clientSecret)).size).toBe(20)
    const [counts] = await server.sql`select payments_opened from payment_links where id = ${actor}`
    expect(counts).toEqual({ payments_opened: 20 })
  })
})

test('none of these tests sent a transaction', async () => {
  const [row] = await server.sql`select count(*)::integer as addresses from deposit_addresses`
  expect(row?.addresses).toBeGreaterThan(20)
  const { number } = await chain.head()
  expect(number).toBeLessThan(35)
})
