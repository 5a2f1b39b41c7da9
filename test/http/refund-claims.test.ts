import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { claimRoutes } from '../../src/http/refund-claims.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { decodeId } from '../../src/ids.ts'
import { reservationCommands } from '../../src/queries/refund-bundles.ts'
import { findRefund } from '../../src/queries/refunds.ts'
import { insertKey } from '../access/keys.ts'
import { issueAddress } from '../chain/watch/ledger.ts'
import { readableLog } from '../harness/lines.ts'
import { expire, refundRow, secretOf, send, visit, wordsOf } from './claims.ts'
import { contentsOf } from './contents.ts'
import { makeInvoice } from './invoices.ts'
import { openPayment } from './payments.ts'
import { member } from './people.ts'
import { customerAddress, refundCalls } from './refunds.ts'
import { newKey, twoShops } from './two-shops.ts'

const { log, lines } = readableLog()
const shops = await twoShops({
  routes: [...refundRoutes, ...claimRoutes],
  env: { PUBLIC_URL: 'https://pay.lamps.shop', CHECKOUT_RATE_LIMIT: '0', API_RATE_LIMIT_TEST: '0' },
  outside: { log },
})
const { server, lamps, ask } = shops
const { start, made, read, list, paidHere } = refundCalls(shops)

const claimed = async (json: object = {}) => {
  const { claimUrl, ...refund } = await made((await paidHere()).id, json)
  return { ...refund, claimUrl, secret: secretOf(claimUrl) }
}
const other = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const confirmed = { confirmed: 'yes' }
const another = await openPayment(server.api, { merchantId: lamps.merchantId, livemode: false })
await issueAddress(server.sql, another)
const deposit = another.address

test('claimUrl is returned only to callers that may refund', async () => {
  const { id, claimUrl } = await claimed()
  expect(claimUrl).toMatch(/^https:\/\/pay\.lamps\.shop\/claims\/[\w-]{43}$/)
  const by = async (scopes: string[]) => (await insertKey(server.sql, { ...lamps, scopes })).secret
  const claimUrlFor = async (confirmation: object) => {
    const one = (await read(id, confirmation)).json as { claimUrl: string | null }
    const all = (await list('?limit=100', confirmation)).data.find(each => each.id === id)
    expect<string | null>(all?.claimUrl ?? null).toBe(one.claimUrl)
    return one.claimUrl
  }
  const as = (person: { bearer: string }) => ({ path: lamps.path, bearer: person.bearer })
  expect(await claimUrlFor({})).toBe(claimUrl)
  expect(await claimUrlFor(as(lamps.owner))).toBe(claimUrl)
  expect(await claimUrlFor(as(await member(server.api, lamps, 'developer')))).toBe(claimUrl)
  expect(await claimUrlFor({ bearer: await by(['payments:read', 'refunds:write']) })).toBe(claimUrl)
  expect(await claimUrlFor({ bearer: await by(['payments:read']) })).toBeNull()
  expect(await claimUrlFor(as(await member(server.api, lamps, 'viewer')))).toBeNull()
})

test('claimUrl is null once the address is given, the refund has ended or the claim has expired', async () => {
  const urlOf = async (id: string) => ((await read(id)).json as { claimUrl: string | null }).claimUrl
  expect((await claimed({ destination: customerAddress })).claimUrl).toBeNull()
  const [named, canceled, expired] = [await claimed(), await claimed(), await claimed()]
  await send(server, named.secret, { address: customerAddress, ...confirmed })
  await ask('POST', `/refunds/${canceled.id}/cancel`, { path: lamps.path, bearer: lamps.owner.bearer })
  await expire(server.api, expired.id)
  for (const { id } of [named, canceled, expired]) expect(await urlOf(id)).toBeNull()
})

test('a repeated request gets the same bytes, and the secret is stored neither with the idempotency key nor elsewhere', async () => {
  const { id: paymentId } = await paidHere()
  const headers = newKey()
  const first = await start(paymentId, {}, { headers })
  const { id, claimUrl } = JSON.parse(first.text) as { id: string; claimUrl: string }
  const secret = secretOf(claimUrl)
  await visit(server, secret)
  await send(server, secret, { address: customerAddress, ...confirmed })
  await ask('POST', `/refunds/${id}/cancel`, { path: lamps.path, bearer: lamps.owner.bearer })
  expect((await start(paymentId, {}, { headers })).text).toBe(first.text)
  const written = Object.values(await contentsOf(server.sql)).join('\n')
  expect(written).toContain(decodeId('re', id) ?? '')
  expect(written).not.toContain(secret)
  expect(JSON.stringify(lines())).not.toContain(secret)
})

test('GET shows the merchant, the amount and its network, and changes nothing', async () => {
  const { secret } = await claimed()
  const before = await contentsOf(server.sql)
  const page = await visit(server, secret)
  for (const part of ['Refund from Lamps', '$10.00', '10.00 TUSD', 'Chain 31337', 'Test mode', 'exchange'])
    expect(wordsOf(page)).toContain(part)
  await server.call('HEAD', `/claims/${secret}`)
  await visit(server, secret)
  expect(await contentsOf(server.sql)).toEqual(before)
})

test('the page names the invoice of the payment by its number, without a way to its page', async () => {
  const { id: paymentId } = await paidHere()
  const { claimUrl } = await made(paymentId, {})
  const page = async (query = '') => (await visit(server, secretOf(claimUrl) + query)).text
  expect(await page()).not.toContain('invoice')
  const { invoice } = await makeInvoice(
    server.api,
    { merchantId: lamps.merchantId, livemode: false },
    { finalize: true },
  )
  await server.sql`update payments set invoice_id = ${invoice.id} where id = ${decodeId('pay', paymentId) ?? ''}`
  expect(await page()).toContain(`For invoice <bdi>${invoice.context.number}</bdi>`)
  expect(await page('?lang=de')).toContain(`Zu Rechnung <bdi>${invoice.context.number}</bdi>`)
  expect(await page()).not.toContain('/invoices/')
  // The invoice has counted no money of it, which the audit after these tests would find.
  await server.sql`update payments set invoice_id = null where id = ${decodeId('pay', paymentId) ?? ''}`
})

test('the page is not cached, indexed, framed or sent as a referrer, and runs only its own script', async () => {
  const [{ secret }, over] = [await claimed(), await claimed()]
  await expire(server.api, over.id)
  const pages = [
    await visit(server, secret),
    await send(server, secret, { address: 'x' }),
    await send(server, secret, { address: customerAddress }),
    await send(server, secret, { address: customerAddress, ...confirmed }),
    await visit(server, secret),
    await send(server, secret, { address: other }),
    await visit(server, over.secret),
    await visit(server, 'none'),
  ]
  expect(pages.map(({ status }) => status)).toEqual([200, 422, 200, 200, 200, 409, 410, 404])
  for (const { text, headers } of pages) {
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
    const scripts = text.includes('<script') ? "script-src 'self'; " : ''
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; ${scripts}style-src 'self' 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
    )
    expect([...text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual(
      scripts ? [`<script type="module" src="${server.api.web.asset('claim/main.ts')}">`] : [],
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(text).not.toMatch(/<iframe|<img|\sstyle=|\son\w+=|@import|url\(/i)
    expect(text).not.toContain(secret)
  }
})

test('an address is shown in full once more, and stored when it is confirmed', async () => {
  const { id, secret } = await claimed()
  const confirmation = await send(server, secret, { address: ` ${customerAddress.toLowerCase()}\r\n` })
  expect(confirmation.status).toBe(200)
  expect(wordsOf(confirmation)).toContain(customerAddress)
  expect(confirmation.text).toContain(`<input name="address" type="hidden" value="${customerAddress}">`)
  expect(await refundRow(server.api, id)).toMatchObject({ state: 'requires_destination', destination: null })
  const named = await send(server, secret, { address: customerAddress, signature: '', ...confirmed })
  expect([named.status, wordsOf(named).includes(customerAddress)]).toEqual([200, true])
  expect(await refundRow(server.api, id)).toEqual({
    ...{ state: 'requires_signature', destination: customerAddress, named: 1, proofs: 0 },
  })
  const [step] = await server.sql`
    select split_part(cause, ' ', 1) as cause from transitions where actor = ${decodeId('re', id) ?? ''} and event = 'destination_named'`
  expect(step).toEqual({ cause: 'customer' })
})

test('an address is stored once: later visitors see a part of it and change nothing', async () => {
  const { id, secret } = await claimed()
  await send(server, secret, { address: customerAddress, ...confirmed })
  const later = await visit(server, secret)
  expect([later.status, wordsOf(later).includes('0x5aAe…eAed')]).toEqual([200, true])
  for (const form of [{ address: other }, { address: other, ...confirmed }, { address: 'x' }]) {
    const answer = await send(server, secret, form)
    expect([answer.status, wordsOf(answer).includes('0x5aAe…eAed')]).toEqual([409, true])
    expect(answer.text).not.toContain(customerAddress)
  }
  // A second click shows success again.
  expect((await send(server, secret, { address: customerAddress, ...confirmed })).status).toBe(200)
  expect(await refundRow(server.api, id)).toMatchObject({ destination: customerAddress, named: 1 })
})

test('once the refund is sent, the page says so and names its transaction', async () => {
  const { id, secret } = await claimed()
  await send(server, secret, { address: customerAddress, ...confirmed })
  const actor = decodeId('re', id) ?? ''
  const txHash = `0x${actor.replaceAll('-', '').repeat(2)}`
  const bundle = async (type: 'transaction_sent' | 'transaction_verified') => {
    const refund = await findRefund(server.sql, { merchantId: lamps.merchantId, livemode: false, id: actor })
    if (!refund) throw new Error('no refund')
    const event = { type, txHash, confirmations: 3 }
    const cause = 'chain:31337'
    const commands = [{ kind: 'refund', actor, event, cause }, ...reservationCommands(refund.context, type, { cause })]
    expect((await server.api.actors.dispatchBundle(commands)).ok).toBe(true)
  }
  const shown = async () => [
    wordsOf(await visit(server, secret)),
    wordsOf(await send(server, secret, { address: customerAddress, ...confirmed })),
  ]
  const short = `${txHash.slice(0, 6)}…${txHash.slice(-4)}`
  expect((await shown()).map(words => [words.includes('will'), words.includes(short)])).toEqual([
    [true, false],
    [true, false],
  ])
  await bundle('transaction_sent')
  for (const words of await shown()) {
    expect(words).toContain(short)
    expect(words).not.toContain('will')
  }
  await bundle('transaction_verified')
  const [later, again] = await shown()
  expect(later).toContain('Your refund was sent')
  expect(later).toContain('was sent to 0x5aAe…eAed')
  expect(again).toContain('has sent')
  for (const words of [later, again]) expect(words).toContain(short)
})

test.each<[string, string | ((payment: { address: string }) => string)]>([
  ['nothing', ''],
  ['a name', 'vitalik.eth'],
  ['markup', '"><script>alert(1)</script>'],
  ['an address with a wrong checksum', customerAddress.replace('5aA', '5AA')],
  ['the zero address', `0x${'0'.repeat(40)}`],
  ["the payment's own address", ({ address }) => address],
  ['the token contract', `0x${'a'.repeat(40)}`],
  ['the address of another payment', () => deposit],
])('422: %s is no destination, and can be corrected', async (_, typed) => {
  const payment = await paidHere()
  const { id, claimUrl } = await made(payment.id)
  const address = typeof typed === 'string' ? typed : typed(payment)
  for (const more of [{}, confirmed]) {
    const answer = await send(server, secretOf(claimUrl), { address, ...more })
    expect([answer.status, /data-fault="(\w+)"/.exec(answer.text)?.[1]]).toEqual([422, 'invalid_destination'])
    expect(wordsOf(answer)).toContain('The refund cannot be sent to this address. Nothing was stored.')
    expect(wordsOf(answer)).not.toContain('invalid_destination')
    expect(answer.text).not.toContain('<script>alert')
    expect(answer.text).toContain('aria-invalid="true"')
  }
  expect(await refundRow(server.api, id)).toMatchObject({ state: 'requires_destination' })
})

test('404: an invalid secret and an unknown one get the same page', async () => {
  const { id, secret } = await claimed()
  const otherSecret = `${secret.slice(0, -2)}${secret.at(-2) === 'A' ? 'B' : 'A'}${secret.at(-1)}`
  const wanted = await visit(server, 'A'.repeat(43))
  expect(wanted.status).toBe(404)
  for (const each of [
    otherSecret,
    secret.slice(1),
    `${secret}A`,
    secret.toUpperCase(),
    'x',
    '%00',
    '%ff',
    id,
    '..%2f..',
  ]) {
    for (const answer of [
      await visit(server, each),
      await send(server, each, { address: customerAddress, ...confirmed }),
    ])
      expect([each, answer.status, answer.text]).toEqual([each, 404, wanted.text])
  }
  expect(await refundRow(server.api, id)).toMatchObject({ state: 'requires_destination' })
})

test('410: an expired claim and a canceled one', async () => {
  const [expired, canceled] = [await claimed(), await claimed()]
  await expire(server.api, expired.id)
  await ask('POST', `/refunds/${canceled.id}/cancel`, { path: lamps.path, bearer: lamps.owner.bearer })
  for (const [{ id, secret }, words] of [
    [expired, 'expired'],
    [canceled, 'canceled'],
  ] as const) {
    for (const answer of [
      await visit(server, secret),
      await send(server, secret, { address: customerAddress, ...confirmed }),
    ])
      expect([answer.status, wordsOf(answer).includes(words)]).toEqual([410, true])
    expect(await refundRow(server.api, id)).toMatchObject({ destination: null })
  }
})

test('a link with added parameters shows its page, whose form works to the end', async () => {
  const { id, secret } = await claimed()
  const linkWithParameters = `${secret}?utm_source=mail&utm_source=mail`
  expect((await visit(server, linkWithParameters)).text).toBe((await visit(server, secret)).text)
  expect((await send(server, linkWithParameters, { address: customerAddress, ...confirmed })).status).toBe(200)
  expect(await refundRow(server.api, id)).toMatchObject({ destination: customerAddress })
})

test.each<[string, string, string, string | undefined]>([
  ['nothing', '', 'parameter_missing', 'address'],
  ['another field', `address=${customerAddress}&amount=1`, 'parameter_unknown', 'amount'],
  ['a field twice', `address=${customerAddress}&address=${other}`, 'parameter_invalid', 'address'],
  ['an invalid confirmation', `address=${customerAddress}&confirmed=no`, 'parameter_invalid', 'confirmed'],
  ['__proto__', '__proto__=1&address=x', 'parameter_unknown', '__proto__'],
  ['a NUL', 'address=%00', 'parameter_invalid', 'address'],
  ['bytes that are no UTF-8', 'address=\u00ff', 'parameter_invalid', undefined],
])('400: a form with %s', async (_, form, code, param) => {
  const { secret } = await claimed()
  const answer = await send(server, secret, form)
  expect(answer).toMatchObject({ status: 400, json: { error: { code, ...(param && { param }) } } })
})

test('no value in a form causes an internal error', async () => {
  const { id, secret } = await claimed()
  // biome-ignore format: a list
  const values = [
    ' ', '0', 'null', 'true', '-1', '1e309', '\u0001', '\u202e', '\ufffe', '😀', '%', '%zz', '&', '=', "' or 1=1 --", '../../etc', '{}', '[]', '{address}', '$&', '$1',
    '<i>', '"', "'", '\\', '\r\nSet-Cookie: a=b', '0x', `0x${'0'.repeat(40)}`, `0x${'f'.repeat(41)}`, `0X${'1'.repeat(40)}`, `0x${'f'.repeat(130)}`, `0x${'0'.repeat(128)}1b`, 'x'.repeat(1000),
  ]
  for (const value of values)
    for (const form of [
      { address: value },
      { address: value, ...confirmed },
      { address: customerAddress, signature: value },
      { address: customerAddress, signature: value, ...confirmed },
      { address: customerAddress, confirmed: value },
    ]) {
      const { status, headers, text } = await send(server, secret, form)
      expect([form, [200, 400, 422].includes(status)]).toEqual([form, true])
      expect([headers.get('set-cookie'), text.includes('<i>')]).toEqual([null, false])
    }
  expect(await refundRow(server.api, id)).toMatchObject({ state: 'requires_destination', proofs: 0 })
})

test('413 and 415: a form that is too large, and a body that is no form', async () => {
  const { secret } = await claimed()
  expect((await send(server, secret, `address=${'x'.repeat(4096)}`)).status).toBe(413)
  const stream = new Response(`address=${'x'.repeat(9000)}`).body ?? ''
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await server.call('POST', `/claims/${secret}`, { body: stream, headers })).status).toBe(413)
  expect((await server.call('POST', `/claims/${secret}`, { json: { address: customerAddress } })).status).toBe(415)
  const zipped = { ...headers, 'content-encoding': 'gzip' }
  expect((await server.call('POST', `/claims/${secret}`, { body: 'address=x', headers: zipped })).status).toBe(415)
})
