import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { claimRoutes } from '../../src/http/refund-claims.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { decodeId } from '../../src/ids.ts'
import { insertKey } from '../access/keys.ts'
import { giveOut } from '../chain/watch/ledger.ts'
import { readableLog } from '../harness/lines.ts'
import { expire, refundRow, secretOf, send, visit, wordsOf } from './claims.ts'
import { contentsOf } from './contents.ts'
import { openPayment } from './payments.ts'
import { member } from './people.ts'
import { refundCalls, somebody } from './refunds.ts'
import { newKey, twoShops } from './two-shops.ts'

const { log, lines } = readableLog()
const server = await twoShops({
  routes: [...refundRoutes, ...claimRoutes],
  env: { PUBLIC_URL: 'https://pay.lamps.shop', CHECKOUT_RATE_LIMIT: '0', API_RATE_LIMIT_TEST: '0' },
  outside: { log },
})
const { to, lamps, ask } = server
const { start, made, read, list, paidHere } = refundCalls(server)

const claimed = async (json: object = {}) => {
  const { claimUrl, ...refund } = await made((await paidHere()).id, json)
  return { ...refund, claimUrl, secret: secretOf(claimUrl) }
}
const other = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const confirmed = { confirmed: 'yes' }
const another = await openPayment(to.api, { merchantId: lamps.merchantId, livemode: false })
await giveOut(to.sql, another)
const deposit = another.address

test('claimUrl is told to whoever may refund, and to nobody else', async () => {
  const { id, claimUrl } = await claimed()
  expect(claimUrl).toMatch(/^https:\/\/pay\.lamps\.shop\/claims\/[\w-]{43}$/)
  const by = async (scopes: string[]) => (await insertKey(to.sql, { ...lamps, scopes })).secret
  const told = async (asked: object) => {
    const one = (await read(id, asked)).json as { claimUrl: string | null }
    const all = (await list('?limit=100', asked)).data.find(each => each.id === id)
    expect<string | null>(all?.claimUrl ?? null).toBe(one.claimUrl)
    return one.claimUrl
  }
  const as = (person: { bearer: string }) => ({ path: lamps.path, bearer: person.bearer })
  expect(await told({})).toBe(claimUrl)
  expect(await told(as(lamps.owner))).toBe(claimUrl)
  expect(await told(as(await member(to.api, lamps, 'developer')))).toBe(claimUrl)
  expect(await told({ bearer: await by(['payments:read', 'refunds:write']) })).toBe(claimUrl)
  expect(await told({ bearer: await by(['payments:read']) })).toBeNull()
  expect(await told(as(await member(to.api, lamps, 'viewer')))).toBeNull()
})

test('claimUrl ends with the naming, with the refund and with its time', async () => {
  const urlOf = async (id: string) => ((await read(id)).json as { claimUrl: string | null }).claimUrl
  expect((await claimed({ destination: somebody })).claimUrl).toBeNull()
  const [named, canceled, expired] = [await claimed(), await claimed(), await claimed()]
  await send(to, named.secret, { address: somebody, ...confirmed })
  await ask('POST', `/refunds/${canceled.id}/cancel`, { path: lamps.path, bearer: lamps.owner.bearer })
  await expire(to.api, expired.id)
  for (const { id } of [named, canceled, expired]) expect(await urlOf(id)).toBeNull()
})

test('a request sent again is answered with the same bytes, and no secret is kept with its key or anywhere else', async () => {
  const { id: paymentId } = await paidHere()
  const headers = newKey()
  const first = await start(paymentId, {}, { headers })
  const { id, claimUrl } = JSON.parse(first.text) as { id: string; claimUrl: string }
  const secret = secretOf(claimUrl)
  await visit(to, secret)
  await send(to, secret, { address: somebody, ...confirmed })
  await ask('POST', `/refunds/${id}/cancel`, { path: lamps.path, bearer: lamps.owner.bearer })
  expect((await start(paymentId, {}, { headers })).text).toBe(first.text)
  const written = Object.values(await contentsOf(to.sql)).join('\n')
  expect(written).toContain(decodeId('re', id) ?? '')
  expect(written).not.toContain(secret)
  expect(JSON.stringify(lines())).not.toContain(secret)
})

test('GET shows whose refund it is, how much arrives and where, and changes nothing', async () => {
  const { secret } = await claimed()
  const before = await contentsOf(to.sql)
  const page = await visit(to, secret)
  for (const part of ['Refund from Lamps', '$10.00', '10.00 TUSD', 'Chain 31337', 'Test mode', 'exchange'])
    expect(wordsOf(page)).toContain(part)
  await to.call('HEAD', `/claims/${secret}`)
  await visit(to, secret)
  expect(await contentsOf(to.sql)).toEqual(before)
})

test('no page is kept, found, framed or told of to others, and runs nothing but its own script', async () => {
  const [{ secret }, over] = [await claimed(), await claimed()]
  await expire(to.api, over.id)
  const pages = [
    await visit(to, secret),
    await send(to, secret, { address: 'x' }),
    await send(to, secret, { address: somebody }),
    await send(to, secret, { address: somebody, ...confirmed }),
    await visit(to, secret),
    await send(to, secret, { address: other }),
    await visit(to, over.secret),
    await visit(to, 'none'),
  ]
  expect(pages.map(({ status }) => status)).toEqual([200, 422, 200, 200, 200, 409, 410, 404])
  for (const { text, headers } of pages) {
    const hashed = (tag: string) => {
      const inside = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(text)?.[1]
      return inside && `${tag}-src 'sha256-${createHash('sha256').update(inside).digest('base64')}'; `
    }
    const style = hashed('style')
    const script = hashed('script') ?? ''
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; ${style}${script}img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toContain('noindex')
    expect(text).not.toMatch(/<iframe|<img|\sstyle=|\son\w+=|\ssrc=|@import|url\(/i)
    expect(text).not.toContain(secret)
  }
})

test('an address is shown once more in full, and named when it is confirmed', async () => {
  const { id, secret } = await claimed()
  const asked = await send(to, secret, { address: ` ${somebody.toLowerCase()}\r\n` })
  expect(asked.status).toBe(200)
  expect(wordsOf(asked)).toContain(somebody)
  expect(asked.text).toContain(`<input name="address" type="hidden" value="${somebody}">`)
  expect(await refundRow(to.api, id)).toMatchObject({ state: 'requires_destination', destination: null })
  const named = await send(to, secret, { address: somebody, signature: '', ...confirmed })
  expect([named.status, wordsOf(named).includes(somebody)]).toEqual([200, true])
  expect(await refundRow(to.api, id)).toEqual({
    ...{ state: 'requires_signature', destination: somebody, named: 1, proofs: 0 },
  })
  const [step] = await to.sql`
    select cause from transitions where actor = ${decodeId('re', id) ?? ''} and event = 'destination_named'`
  expect(step).toEqual({ cause: 'customer' })
})

test('it is named once: later visitors see a part of it, and change nothing', async () => {
  const { id, secret } = await claimed()
  await send(to, secret, { address: somebody, ...confirmed })
  const later = await visit(to, secret)
  expect([later.status, wordsOf(later).includes('0x5aAe…eAed')]).toEqual([200, true])
  for (const form of [{ address: other }, { address: other, ...confirmed }, { address: 'x' }]) {
    const answer = await send(to, secret, form)
    expect([answer.status, wordsOf(answer).includes('0x5aAe…eAed')]).toEqual([409, true])
    expect(answer.text).not.toContain(somebody)
  }
  // Whoever clicks twice is not frightened.
  expect((await send(to, secret, { address: somebody, ...confirmed })).status).toBe(200)
  expect(await refundRow(to.api, id)).toMatchObject({ destination: somebody, named: 1 })
})

test.each<[string, string | ((payment: { address: string }) => string)]>([
  ['nothing', ''],
  ['a name', 'vitalik.eth'],
  ['markup', '"><script>alert(1)</script>'],
  ['one with a typing error', somebody.replace('5aA', '5AA')],
  ['the zero address', `0x${'0'.repeat(40)}`],
  ['the own address of the payment', ({ address }) => address],
  ['the coin itself', `0x${'a'.repeat(40)}`],
  ['the address of another payment', () => deposit],
])('422: %s is no destination, and is there to be corrected', async (_, typed) => {
  const payment = await paidHere()
  const { id, claimUrl } = await made(payment.id)
  const address = typeof typed === 'string' ? typed : typed(payment)
  for (const more of [{}, confirmed]) {
    const answer = await send(to, secretOf(claimUrl), { address, ...more })
    expect([answer.status, wordsOf(answer).includes('invalid_destination')]).toEqual([422, true])
    expect(answer.text).not.toContain('<script>alert')
    expect(answer.text).toContain('aria-invalid="true"')
  }
  expect(await refundRow(to.api, id)).toMatchObject({ state: 'requires_destination' })
})

test('404: what is no secret and what could be one are the same page', async () => {
  const { id, secret } = await claimed()
  const near = `${secret.slice(0, -2)}${secret.at(-2) === 'A' ? 'B' : 'A'}${secret.at(-1)}`
  const wanted = await visit(to, 'A'.repeat(43))
  expect(wanted.status).toBe(404)
  for (const each of [near, secret.slice(1), `${secret}A`, secret.toUpperCase(), 'x', '%00', '%ff', id, '..%2f..']) {
    for (const answer of [await visit(to, each), await send(to, each, { address: somebody, ...confirmed })])
      expect([each, answer.status, answer.text]).toEqual([each, 404, wanted.text])
  }
  expect(await refundRow(to.api, id)).toMatchObject({ state: 'requires_destination' })
})

test('410: too late, and canceled', async () => {
  const [expired, canceled] = [await claimed(), await claimed()]
  await expire(to.api, expired.id)
  await ask('POST', `/refunds/${canceled.id}/cancel`, { path: lamps.path, bearer: lamps.owner.bearer })
  for (const [{ id, secret }, words] of [
    [expired, 'expired'],
    [canceled, 'canceled'],
  ] as const) {
    for (const answer of [await visit(to, secret), await send(to, secret, { address: somebody, ...confirmed })])
      expect([answer.status, wordsOf(answer).includes(words)]).toEqual([410, true])
    expect(await refundRow(to.api, id)).toMatchObject({ destination: null })
  }
})

test('a link that was passed on with something hung on to it leads to its page, and the form from there to the end', async () => {
  const { id, secret } = await claimed()
  const passedOn = `${secret}?utm_source=mail&utm_source=mail`
  expect((await visit(to, passedOn)).text).toBe((await visit(to, secret)).text)
  expect((await send(to, passedOn, { address: somebody, ...confirmed })).status).toBe(200)
  expect(await refundRow(to.api, id)).toMatchObject({ destination: somebody })
})

test.each<[string, string, string, string | undefined]>([
  ['nothing', '', 'parameter_missing', 'address'],
  ['another field', `address=${somebody}&amount=1`, 'parameter_unknown', 'amount'],
  ['a field twice', `address=${somebody}&address=${other}`, 'parameter_invalid', 'address'],
  ['a confirmation that is none', `address=${somebody}&confirmed=no`, 'parameter_invalid', 'confirmed'],
  ['__proto__', '__proto__=1&address=x', 'parameter_unknown', '__proto__'],
  ['a NUL', 'address=%00', 'parameter_invalid', 'address'],
  ['bytes that are no text', 'address=\u00ff', 'parameter_invalid', undefined],
])('400: a form with %s', async (_, form, code, param) => {
  const { secret } = await claimed()
  const answer = await send(to, secret, form)
  expect(answer).toMatchObject({ status: 400, json: { error: { code, ...(param && { param }) } } })
})

test('nothing that is sent in a form makes it fail', async () => {
  const { id, secret } = await claimed()
  // biome-ignore format: a list
  const values = [
    ' ', '0', 'null', 'true', '-1', '1e309', '\u0001', '\u202e', '\ufffe', '😀', '%', '%zz', '&', '=', "' or 1=1 --", '../../etc', '{}', '[]', '{address}', '$&', '$1',
    '<b>', '"', "'", '\\', '\r\nSet-Cookie: a=b', '0x', `0x${'0'.repeat(40)}`, `0x${'f'.repeat(41)}`, `0X${'1'.repeat(40)}`, `0x${'f'.repeat(130)}`, `0x${'0'.repeat(128)}1b`, 'x'.repeat(1000),
  ]
  for (const value of values)
    for (const form of [
      { address: value },
      { address: value, ...confirmed },
      { address: somebody, signature: value },
      { address: somebody, signature: value, ...confirmed },
      { address: somebody, confirmed: value },
    ]) {
      const { status, headers, text } = await send(to, secret, form)
      expect([form, [200, 400, 422].includes(status)]).toEqual([form, true])
      expect([headers.get('set-cookie'), text.includes('<b>')]).toEqual([null, false])
    }
  expect(await refundRow(to.api, id)).toMatchObject({ state: 'requires_destination', proofs: 0 })
})

test('413 and 415: a form that is too large, and what is no form', async () => {
  const { secret } = await claimed()
  expect((await send(to, secret, `address=${'x'.repeat(4096)}`)).status).toBe(413)
  const stream = new Response(`address=${'x'.repeat(9000)}`).body ?? ''
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await to.call('POST', `/claims/${secret}`, { body: stream, headers })).status).toBe(413)
  expect((await to.call('POST', `/claims/${secret}`, { json: { address: somebody } })).status).toBe(415)
  const zipped = { ...headers, 'content-encoding': 'gzip' }
  expect((await to.call('POST', `/claims/${secret}`, { body: 'address=x', headers: zipped })).status).toBe(415)
})
