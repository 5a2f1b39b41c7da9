import { describe, expect, test } from 'bun:test'
import { checksummed } from '../../src/chain/checksum.ts'
import { forwarderOf, saltOf } from '../../src/chain/forwarder.ts'
import { baseMainnet, baseSepolia } from '../../src/chain/known/base.ts'
import { keepStopped } from '../../src/chain/watch/books.ts'
import { recoverySecretOf } from '../../src/commands/deposits.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { callNode } from '../../src/sandbox/node-client.ts'
import { sandboxTreasury } from '../../src/sandbox/treasury.ts'
import { openLedger } from '../chain/watch/ledger.ts'
import { rewrite } from '../harness/rewrite.ts'
import { until } from '../harness/until.ts'
import { checkoutServer, SOMEBODY, SOMEBODY_ELSE, type Visited } from './checkouts.ts'
import { makeLink } from './links.ts'
import { makePayment } from './payments.ts'
import { type Shop, shop } from './people.ts'
import { refusedBodies } from './refused-checkouts.ts'

const { to, chain, link, visit, open, settle, priceEther } = await checkoutServer()

/** Of which nothing comes. */
const refusing = await link()

const minutes = (count: number) => count * 60_000
/** A link in live mode. */
const live = async (of?: Shop) => {
  const made = of ?? (await shop(to.api))
  return { of: made, id: (await makeLink(to.api, { ...made, livemode: true }, { assets: null })).id }
}
/** Of wei at 2,500 dollars, rounded up. */
const cents = (wei: bigint) => Number((wei * 250_000n + 10n ** 18n - 1n) / 10n ** 18n)
const symbols = ({ options }: Visited) => options.map(({ chainId, asset }) => `${chainId} ${asset}`)
const rowOf = async (id: string) => {
  const [row] = await to.sql`select * from payments where id = ${decodeId('pay', id) ?? ''}`
  return row ?? {}
}
/** A link that came to its end, by the way that leads there. */
const closed: Readonly<Record<string, () => Promise<{ readonly id: string }>>> = {
  deactivated: async () => {
    const made = await link()
    await to.api.actors.dispatch({ kind: 'payment_link', actor: made.actor, event: { type: 'deactivate' } })
    return made
  },
  completed: async () => {
    const { merchantId } = await shop(to.api)
    const { linkId } = await makePayment(to.api, { merchantId, livemode: false }, 'success', { maxPayments: 1 })
    return { id: linkId }
  },
  expired: async () => {
    const made = await link({ expiresAt: new Date(Date.now() + minutes(1)) })
    const [timer] = await to.sql<{ name: string; generation: number }[]>`
      select name, generation from timers where actor = ${made.actor}`
    const { name = '', generation = 0 } = timer ?? {}
    await to.api.actors.dispatch({ kind: 'payment_link', actor: made.actor, timer: { name, generation } })
    return made
  },
}

describe('GET /v1/checkout/links/:linkId', () => {
  test('200: exactly what a visitor may know, and what it takes in every asset', async () => {
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
    // Not beyond the window.
    const left = Date.parse(options[1]?.quoteExpiresAt ?? '') - before
    expect(left).toBeGreaterThan(minutes(9))
    expect(left).toBeLessThanOrEqual(minutes(11))
  })

  test('200: chains on which the merchant can be paid, and none of the other mode', async () => {
    const { id, shop: of } = await link()
    const sepolia = `${baseSepolia.id} USDC`
    expect(symbols(await visit(id))).toEqual(['31337 TUSD', '31337 ETH'])
    await settle(of, { receivingAddresses: { [baseSepolia.id]: SOMEBODY } })
    expect(symbols(await visit(id))).toEqual(['31337 TUSD', sepolia, '31337 ETH'])
    await settle(of, { receivingAddresses: { [baseSepolia.id]: null }, receivingAddress: SOMEBODY })
    expect(symbols(await visit(id))).toEqual(['31337 TUSD', sepolia, '31337 ETH'])
    await settle(of, { receivingAddress: null })
    expect(symbols(await visit(id))).toEqual(['31337 TUSD', '31337 ETH'])

    const { id: ofLive } = await live(of)
    expect(symbols(await visit(ofLive))).toEqual([])
    await settle(of, { receivingAddress: SOMEBODY }, true)
    expect(symbols(await visit(ofLive))).toEqual([`${baseMainnet.id} USDC`])
  })

  test('200: assets at par come first, then those with the lowest network fee; one that is not known is null', async () => {
    const { id, shop: of } = await link()
    await settle(of, { receivingAddress: SOMEBODY })
    const shown = async (linkId: string) =>
      (await visit(linkId)).options.map(({ chainId, asset, networkFeeMinor }) => [chainId, asset, networkFeeMinor])
    // Nobody can reach the nodes of the second chain.
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

  test('200: no more than the link takes', async () => {
    const asset = (chainId: number, symbol: string) => ({ chainId, asset: symbol })
    const { id } = await link({ assets: [asset(31337, 'ETH'), asset(1, 'TUSD'), asset(31337, 'DOGE')] })
    expect(symbols(await visit(id))).toEqual(['31337 ETH'])
  })

  test('200: what has no price is left out', async () => {
    const { id } = await link()
    await priceEther(0)
    expect(symbols(await visit(id))).toEqual(['31337 TUSD'])
    // A node that takes its time for once has no price to tell either.
    await until(async () => {
      await priceEther(2_500)
      return symbols(await visit(id)).includes('31337 ETH')
    })
  })

  test.each(Object.entries(closed))('200: one that is %s says so, and offers nothing', async (how, make) => {
    const { id } = await make()
    expect(await visit(id)).toMatchObject({ status: 200, link: { status: how }, options: [] })
    expect(await open(id)).toMatchObject({ status: 409, error: { code: 'payment_link_not_active' } })
    expect(await open(id, { chainId: 31337, asset: 'TUSD' })).toMatchObject({ status: 409 })
  })

  test('200: one that ends by itself has ended at that moment, whatever its timer is up to', async () => {
    const { id, actor } = await link({ expiresAt: new Date(Date.now() + minutes(5)) })
    expect((await visit(id)).link.status).toBe('active')
    await rewrite(to.sql, 'payment_links', [actor], { expires_at: new Date() })
    expect(await visit(id)).toMatchObject({ link: { status: 'expired' }, options: [] })
    expect(await open(id)).toMatchObject({ status: 409, error: { code: 'payment_link_not_active' } })
  })
})

describe('POST /v1/checkout/links/:linkId/payments', () => {
  test('201: a payment without an asset, what the merchant keeps with it left out', async () => {
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
    const events = await to.sql`select type, object->>'reference' as reference from events where actor = ${uuid}`
    expect([...events]).toEqual([{ type: 'payment.created', reference: 'order 8' }])
    expect(
      await to.sql`select cause from transitions where actor in (${uuid}, ${actor}) and event = 'open_payment'`,
    ).toEqual([{ cause: 'customer' }] as never)
    expect((await open(id, { customerName: null })).payment).toMatchObject({ customerName: null })
    expect((await open(id, { customerName: ' ' })).payment).toMatchObject({ customerName: null })
    const customerName = '😀'.repeat(200)
    expect((await open(id, { customerName })).payment).toMatchObject({ customerName })
  })

  test('201: with an asset it has an address of its own, in the sandbox for a treasury of the merchant’s own', async () => {
    const { id, shop: of } = await link()
    const { status, payment } = await open(id, { chainId: 31337, asset: 'TUSD' })
    const [deposit] = await to.sql<{ address: string; treasury: string; counter: string }[]>`
      select address, treasury, counter from deposit_addresses where payment_id = ${decodeId('pay', payment.id) ?? ''}`
    const { address, treasury, counter } = deposit ?? { address: '', treasury: '', counter: '' }
    expect(treasury).toBe(sandboxTreasury(of.merchantId))
    const secret = await recoverySecretOf(to.api, to.api.keyring, of.merchantId)
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
    // Another merchant's is another.
    expect(sandboxTreasury((await shop(to.api)).merchantId)).not.toBe(treasury)
  })

  test('201: ether at the price of this moment', async () => {
    const { id } = await link()
    await priceEther(2_400)
    const { payment } = await open(id, { chainId: 31337, asset: 'ETH' })
    expect(payment.crypto).toMatchObject({
      ...{ asset: 'ETH', tokenAddress: null, decimals: 18, amountExpected: '4166666666666667' },
      quote: { rate: '2400', source: 'chainlink ETH / USD', expiresAt: expect.any(String) },
    })
    await priceEther(2_500)
  })

  test('201: by what the merchant has settled, for this chain and for the others', async () => {
    const { id, shop: of } = await link()
    await settle(of, {
      ...{ receivingAddress: SOMEBODY, receivingAddresses: { [baseSepolia.id]: SOMEBODY_ELSE } },
      ...{ toleranceBps: 70, latePolicy: 'needs_attention', confirmations: { 31337: 12, [baseSepolia.id]: 1 } },
    })
    const here = (await open(id, { chainId: 31337, asset: 'TUSD' })).payment
    const there = (await open(id, { chainId: baseSepolia.id, asset: 'USDC' })).payment
    expect(await rowOf(here.id)).toMatchObject({
      ...{ tolerance_bps: 70, late_policy: 'needs_attention', api_version: '2026-11-20', confirmations_required: 12 },
    })
    // A chain's own number is the least.
    expect(Number((await rowOf(there.id)).confirmations_required)).toBeGreaterThan(1)
    const treasuries = await to.sql<{ treasury: string }[]>`
      select d.treasury from deposit_addresses d join payments p on p.id = d.payment_id
      where d.merchant_id = ${of.merchantId} order by p.chain_id`
    expect(treasuries.map(({ treasury }) => treasury)).toEqual([SOMEBODY, SOMEBODY_ELSE])
  })

  test('409: while successes and payments under way fill the link', async () => {
    const { id, actor } = await link({ maxPayments: 1 })
    const first = await open(id, { chainId: 31337, asset: 'TUSD' })
    const second = await open(id)
    expect([first.status, second.status]).toEqual([201, 201])
    const paid = String((await rowOf(first.payment.id)).id)
    const seen = { amountReceived: 10_000_000n, payerAddress: null, txHash: null, blockNumber: 7, minedAt: new Date() }
    const event = { type: 'enough_seen', chainId: 31337, asset: 'TUSD', scan: 0, ...seen }
    await to.api.actors.dispatchBundle([
      { kind: 'payment', actor: paid, event },
      { kind: 'payment_link', actor, event: { type: 'payment_processing' } },
    ])
    expect(await open(id)).toMatchObject({ status: 409, error: { code: 'payment_link_not_active' } })
    expect(await visit(id)).toMatchObject({ link: { status: 'active' } })
    const [counts] = await to.sql`select payments_opened from payment_links where id = ${actor}`
    expect(counts).toEqual({ payments_opened: 2 })
    // No chain has shown what this test says of one.
    const gone = {
      ...event,
      type: 'reorganized',
      amountReceived: 0n,
      blockNumber: null,
      minedAt: null,
      hasLostAgreed: false,
    }
    await to.api.actors.dispatchBundle([
      { kind: 'payment', actor: paid, event: gone },
      { kind: 'payment_link', actor, event: { type: 'payment_reverted' } },
    ])
  })

  test('422: what the link does not take, and where the merchant cannot be paid', async () => {
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

  test('503: on a chain that has other blocks than those that were final, until it has them again', async () => {
    const { id, shop: of } = await link()
    await settle(of, { receivingAddress: SOMEBODY })
    const asked = { chainId: baseSepolia.id, asset: 'USDC' }
    const offered = symbols(await visit(id))
    const at = await (await openLedger(to.sql, baseSepolia.id)).cursor()
    await keepStopped(to.sql, baseSepolia.id, at, true)
    expect(symbols(await visit(id))).toEqual(offered.filter(each => each !== `${asked.chainId} USDC`))
    expect(await open(id, asked)).toMatchObject({
      ...{ status: 503, error: { code: 'chain_unavailable', param: 'asset' } },
    })
    await keepStopped(to.sql, baseSepolia.id, at, false)
    expect([symbols(await visit(id)), (await open(id, asked)).status]).toEqual([offered, 201])
  })

  test('422: what no aggregator of its chain could ever price in the currency', async () => {
    const { id, shop: of } = await link({ currency: 'EUR' })
    await settle(of, { receivingAddress: SOMEBODY })
    for (const asset of ['USDC', 'ETH'])
      expect(await open(id, { chainId: baseSepolia.id, asset })).toMatchObject({
        ...{ status: 422, error: { code: 'unsupported_asset', param: 'asset' } },
      })
    expect((await open(id, { chainId: 31337, asset: 'TUSD' })).status).toBe(201)
  })

  test('503: what it takes and has no price now, by the aggregator or by a chain that nobody can ask', async () => {
    const { id, shop: of } = await link()
    await settle(of, { receivingAddress: SOMEBODY })
    await priceEther(0)
    for (const chainId of [31337, baseSepolia.id])
      expect(await open(id, { chainId, asset: 'ETH' })).toMatchObject({
        ...{ status: 503, error: { code: 'rate_unavailable', param: 'asset' } },
      })
    // At par no price is needed.
    expect((await open(id, { chainId: baseSepolia.id, asset: 'USDC' })).status).toBe(201)
    await priceEther(2_500)
  })

  test('503: on a chain that nobody has read yet, and nobody can: nothing is asked for there', async () => {
    const { of, id } = await live()
    await settle(of, { receivingAddress: SOMEBODY }, true)
    expect(await open(id, { chainId: baseMainnet.id, asset: 'USDC' })).toMatchObject({
      ...{ status: 503, error: { code: 'chain_unavailable', param: 'chainId' } },
    })
    expect([...(await to.sql`select from deposit_addresses where merchant_id = ${of.merchantId}`)]).toEqual([])
  })

  test('201: the books of a chain begin before the first address is shown, below its head', async () => {
    await to.sql`delete from chain_blocks where chain_id = 31337`
    await to.sql`delete from chain_cursors where chain_id = 31337`
    const { id } = await link()
    await chain.mine(5)
    const opened = await Promise.all([1, 2, 3].map(() => open(id, { chainId: 31337, asset: 'TUSD' })))
    expect(opened.map(({ status }) => status)).toEqual([201, 201, 201])
    const { number } = await chain.head()
    const books = await to.sql`
      select number::integer, final_number::integer from chain_cursors where chain_id = 31337`
    expect([...books]).toEqual([{ number: number - 3, final_number: number - 3 }])
    const { hash } = await chain.head(`0x${(number - 3).toString(16)}`)
    expect([...(await to.sql`select hash from chain_blocks where chain_id = 31337`)]).toEqual([{ hash }])
  })

  test.each(refusedBodies)('400: %s', async (_, json, code, param) => {
    const { id, actor } = refusing
    expect(await open(id, json)).toMatchObject({ status: 400, error: { code, param } })
    expect([...(await to.sql`select from payments where payment_link_id = ${actor}`)]).toEqual([])
  })

  test('many at once are each a payment of their own', async () => {
    const { id, actor } = await link()
    const all = await Promise.all(Array.from({ length: 20 }, () => open(id, { chainId: 31337, asset: 'TUSD' })))
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 201))
    expect(new Set(all.map(({ payment }) => payment.crypto?.address)).size).toBe(20)
    expect(new Set(all.map(({ clientSecret }) => clientSecret)).size).toBe(20)
    const [counts] = await to.sql`select payments_opened from payment_links where id = ${actor}`
    expect(counts).toEqual({ payments_opened: 20 })
  })
})

test('nothing of this has moved anything on the chain', async () => {
  const [row] = await to.sql`select count(*)::integer as addresses from deposit_addresses`
  expect(row?.addresses).toBeGreaterThan(20)
  const { number } = await chain.head()
  expect(number).toBeLessThan(35)
})
