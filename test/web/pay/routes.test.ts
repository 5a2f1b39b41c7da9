import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { baseSepolia } from '../../../src/chain/known/base.ts'
import { sandboxChain, sandboxId } from '../../../src/chain/known/sandbox.ts'
import { routes } from '../../../src/http/routes.ts'
import { decodeId, encodeId } from '../../../src/ids.ts'
import { sandboxContracts } from '../../../src/sandbox/contracts.ts'
import { deploy } from '../../../src/sandbox/deploy.ts'
import { pageRoutes } from '../../../src/server/page-routes.ts'
import { anvil, type TestChain } from '../../harness/anvil.ts'
import { type ApiServer, apiServer, type Called } from '../../harness/api.ts'
import { makeLink } from '../../http/links.ts'
import { namesNothing } from '../../http/missing.ts'
import { type Shop, shop } from '../../http/people.ts'

let chain: TestChain
let to: ApiServer
let lamps: Shop
/** Prices are cached for some seconds; the clock of the chains moves on instead of waiting. */
let aheadMs = 0
const served = [...routes, ...pageRoutes(routes)]

const open = (env: Readonly<Record<string, string>> = {}) =>
  apiServer({
    routes: served,
    env: { CHECKOUT_RATE_LIMIT: '0', ...env },
    chains: outside => {
      const all = [sandboxChain(sandboxContracts), baseSepolia]
      const clock = { ...outside.clock, now: () => new Date(outside.clock.now().getTime() + aheadMs) }
      return connectChains(all, id => (id === sandboxId ? [chain.url] : []), { ...outside, clock })
    },
  })

beforeAll(async () => {
  chain = await anvil()
  await deploy(chain.url)
  to = await open()
  lamps = await shop(to.api, 'Lamps <b>& Söhne</b>')
})
afterAll(async () => {
  await to[Symbol.asyncDispose]()
  await chain[Symbol.asyncDispose]()
})

const linkOf = async (more: object = {}, of = to, { merchantId } = lamps) => {
  const { link, id } = await makeLink(of.api, { merchantId, livemode: false }, { assets: null, ...more })
  return { actor: link.id, path: `/pay/${id}` }
}
type Sent = { readonly headers?: Readonly<Record<string, string>>; readonly of?: ApiServer }
const get = (path: string, { headers = {}, of = to }: Sent = {}) => of.call('GET', path, { headers })
const post = (path: string, fields: Readonly<Record<string, string>> = {}, { headers = {}, of = to }: Sent = {}) =>
  of.call('POST', path, {
    body: String(new URLSearchParams(fields)),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
const statusIn = ({ text }: Called) => /data-testid="status" data-status="(\w+)"/.exec(text)?.[1]

/** Of a payment that was just opened: the path of its page, and the cookie as browsers send it. */
const opened = async (link: string, fields: object = {}, sent: Sent = {}) => {
  const answer = await post(link, { email: 'ada@example.com', asset: `${sandboxId}:TUSD`, ...fields }, sent)
  expect([answer.status, answer.text]).toEqual([303, ''])
  const cookie = answer.headers.get('set-cookie') ?? ''
  const path = answer.headers.get('location') ?? ''
  const [pair = ''] = cookie.split(';')
  const [, secret = ''] = pair.split('=')
  return { answer, cookie, path, secret, sent: { ...sent, headers: { ...sent.headers, cookie: pair } } }
}

const actorIn = (path: string) => decodeId('pay', path.split('/').at(-1) ?? '') ?? ''

describe('GET /pay/:linkId', () => {
  test('200: the page loads nothing from other hosts, and no text becomes HTML in it', async () => {
    const { path } = await linkOf({ amountMinor: 123_456, currency: 'EUR', description: 'Brass.' })
    const { status, headers, text } = await get(path)
    expect(status).toBe(200)
    const hashes = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(
      ([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    )
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' ${hashes.join(' ')}; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types markup`,
    )
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['same-origin', 'no-store'])
    expect(text).not.toMatch(/<iframe|\sstyle=|\son\w+=|@import|url\(|http:|https:/i)
    for (const part of ['€1,234.56', 'A lamp', 'Lamps &#60;b&#62;&#38; Söhne&#60;/b&#62;', 'Brass.'])
      expect(text).toContain(part)
  })

  test('200: what a merchant wrote is text, whatever it looks like', async () => {
    const nasty = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`
    const { text } = await get((await linkOf({ title: nasty, description: `${nasty}</title></style>` })).path)
    expect(text).not.toMatch(/<script>|<img/)
    expect(text).toContain('&#60;script&#62;alert(1)')
  })

  test('200: the largest amount is shown to the cent', async () => {
    const { path } = await linkOf({ amountMinor: Number.MAX_SAFE_INTEGER })
    const page = await get(path)
    expect(page.text).toContain('$90,071,992,547,409.91')
    expect(page.text).toContain('36,028,797,018.963964\u00a0ETH')
    expect([page.status, statusIn(page)]).toEqual([200, 'open'])
    // No asset is offered beyond 10^12 units.
    expect(page.text.match(/<strong class="badge"[^>]*>.*?<\/strong>/gs)).toHaveLength(1)
    expect(page.text).toMatch(/value="31337:TUSD" disabled/)
    const cent = await get((await linkOf({ amountMinor: 1 })).path)
    expect(cent.text).toContain('$0.01')
  })

  test('200: in the language of ?lang=, or else of the browser', async () => {
    const { path } = await linkOf()
    const langOf = async (query: string, acceptLanguage?: string) => {
      const headers: Record<string, string> = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }
      return /<html lang="(\w+)"/.exec((await get(path + query, { headers })).text)?.[1]
    }
    expect(await langOf('')).toBe('en')
    expect(await langOf('', 'de-AT, en;q=0.5')).toBe('de')
    expect(await langOf('', 'fr, de;q=0.3, en;q=0.8')).toBe('en')
    expect(await langOf('', 'fr;q=1, *;q=0.1')).toBe('en')
    expect(await langOf('?lang=de', 'en')).toBe('de')
    expect(await langOf('?lang=xx', 'de')).toBe('de')
  })

  test('200: compressed for who takes it', async () => {
    const { path } = await linkOf()
    expect((await get(path, { headers: { 'accept-encoding': 'gzip' } })).headers.get('content-encoding')).toBe('gzip')
    expect((await get(path, { headers: { 'accept-encoding': 'identity' } })).headers.get('content-encoding')).toBeNull()
  })

  test('303: to the payment that is under way, unless another one is wanted', async () => {
    const { path: link } = await linkOf()
    const { path, sent, secret } = await opened(link)
    const shown = await get(path, sent)
    const cookie = shown.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      new RegExp(`^paymachine_latest=${secret}; Path=${link}; Max-Age=\\d+; HttpOnly; SameSite=Lax$`),
    )
    const [pair = ''] = cookie.split(';')
    const back = { headers: { cookie: pair } }
    expect(
      (await get(path, { headers: { cookie: `${sent.headers.cookie}; ${pair}` } })).headers.get('set-cookie'),
    ).toBe(null)
    const leads = async (query = '') => {
      const forms = { email: 'ada@example.com' }
      const answers = [await get(link + query, back), await post(link + query, forms, back)]
      return answers.map(({ status, headers }) => [status, headers.get('location')])
    }
    const led = (query = '') => Array.from({ length: 2 }, () => [303, path + query])
    expect(await leads()).toEqual(led())
    expect(await leads('?lang=de')).toEqual(led('?lang=de'))
    const [form, another] = await leads('?another=1&lang=de')
    expect(form).toEqual([200, null])
    expect(another).toEqual([303, expect.stringMatching(new RegExp(`^${link}/pay_\\w{26}\\?lang=de$`))])
    expect(another).not.toEqual([303, `${path}?lang=de`])
    // The cookie of another payment, or a changed one, leads nowhere.
    const { path: elsewhere } = await linkOf()
    expect((await get(elsewhere, back)).status).toBe(200)
    expect((await get(link, { headers: { cookie: `${pair}x` } })).status).toBe(200)
    await to.sql`update payments set expires_at = now() where id = ${actorIn(path)}`
    expect((await get(link, back)).status).toBe(200)
  })

  test('410: a link whose last payment is being confirmed asks for no money, nor do the pages of others', async () => {
    const { path: link, actor } = await linkOf({ maxPayments: 1 })
    const [picked, unpicked] = [await opened(link), await opened(link, { asset: '' })]
    await to.sql`update payment_links set payments_processing = 1 where id = ${actor}`
    const page = await get(link)
    expect([page.status, statusIn(page), page.text.includes('It has already been paid')]).toEqual([410, 'closed', true])
    for (const each of [picked, unpicked]) {
      const other = await get(each.path, each.sent)
      expect([other.status, statusIn(other)]).toEqual([200, 'closed'])
      expect(other.text).not.toContain('data-testid="another"')
      expect(other.text).toContain('data-poll="10"')
    }
    // The money was in a block that the chain has dropped.
    await to.sql`update payment_links set payments_processing = 0 where id = ${actor}`
    expect(statusIn(await get(picked.path, picked.sent))).toBe('pay')
    expect(statusIn(await get(link))).toBe('open')
  })

  test('410: a link that is closed says why, and takes no form', async () => {
    for (const [state, sentence] of [
      ['deactivated', 'no longer takes payments here'],
      ['completed', 'It has already been paid'],
      ['expired', 'It has expired'],
    ] as const) {
      const { actor, path } = await linkOf()
      await to.sql`
        update payment_links
        set state = ${state}, max_payments = 1, payments_count = 1, expires_at = now(),
          deactivated_at = case when ${state} = 'deactivated' then now() end
        where id = ${actor}`
      for (const page of [await get(path), await post(path, { email: 'ada@example.com' })]) {
        expect([page.status, statusIn(page)]).toEqual([410, 'closed'])
        expect(page.text).toContain(sentence)
      }
    }
  })

  test('404: a page that says so, for whatever is no link', async () => {
    const missing = await get(`/pay/${encodeId('plink', crypto.randomUUID())}`)
    const { path } = await linkOf()
    for (const each of namesNothing(path.slice('/pay/'.length))) {
      const page = await get(`/pay/${each}`)
      expect([each, page.status, statusIn(page), page.text]).toEqual([each, 404, 'not_found', missing.text])
    }
    expect((await post('/pay/none', { email: 'ada@example.com' })).status).toBe(404)
  })
})

describe('POST /pay/:linkId', () => {
  test('303: opens a payment and sets its cookie', async () => {
    const { path: link } = await linkOf()
    const { path, cookie, answer } = await opened(link, { name: ' Ada ', email: ' ada@example.com ' })
    expect(path).toMatch(new RegExp(`^${link}/pay_\\w{26}$`))
    expect(cookie).toMatch(
      new RegExp(`^paymachine_pay=pay_\\w+_secret_[\\w-]{43}; Path=${path}; Max-Age=\\d+; HttpOnly; SameSite=Lax$`),
    )
    const maxAge = Number(/Max-Age=(\d+)/.exec(cookie)?.[1])
    expect(Math.abs(maxAge - (30 * 86_400 + 1_800))).toBeLessThan(10)
    expect(answer.headers.get('referrer-policy')).toBe('same-origin')
    const [row] = await to.sql`select customer_email, customer_name, asset from payments where id = ${actorIn(path)}`
    expect(row).toEqual({ customer_email: 'ada@example.com', customer_name: 'Ada', asset: 'TUSD' })
  })

  test('303: the asset may come in two fields, and none is needed', async () => {
    const { path: link } = await linkOf()
    const both = await opened(link, { chainId: String(sandboxId), asset: 'ETH' })
    expect((await get(both.path, both.sent)).text).toContain('0.004\u00a0ETH')
    const none = await opened(link, { asset: '' })
    const page = await get(none.path, none.sent)
    expect([page.status, statusIn(page)]).toEqual([200, 'open'])
    expect(page.text).not.toContain('data-testid="email"')
  })

  test('303: the language goes along', async () => {
    const { path: link } = await linkOf()
    const { path } = await opened(`${link}?lang=de`)
    expect(path).toEndWith('?lang=de')
  })

  test('400: what is wrong stands at its field, and what was entered stays', async () => {
    const { path } = await linkOf()
    for (const [fields, at] of [
      [{ email: 'ada@', name: 'Ada <i>' }, 'email-error'],
      [{ email: '' }, 'email-error'],
      [{ email: `${'a'.repeat(250)}@example.com` }, 'email-error'],
      [{ email: 'ada@example.com', name: 'a'.repeat(201) }, 'name-error'],
      [{ email: 'ada@example.com', name: 'Ada\u202e' }, 'name-error'],
      [{ email: 'ada@example.com', name: 'Ada\nBcc: eve' }, 'name-error'],
      [{ email: 'ada@example.com', asset: 'none' }, 'asset-error'],
    ] as const) {
      const page = await post(path, { asset: `${sandboxId}:ETH`, ...fields })
      expect([at, page.status, statusIn(page)]).toEqual([at, at === 'asset-error' ? 422 : 400, 'open'])
      expect(page.text).toContain(`id="${at}" data-testid="error"`)
      expect(page.text).toContain('<title>TEST · Error: ')
      if (fields.email) expect(page.text).toContain(`value="${fields.email}"`)
      if (at !== 'asset-error') expect(page.text).toContain(`value="${sandboxId}:ETH" checked`)
    }
    expect(
      (await to.sql`select 1 from payments where payment_link_id = ${decodeId('plink', path.slice(5)) ?? ''}`).count,
    ).toBe(0)
  })

  test('422: an asset that cannot be paid with now', async () => {
    const { path } = await linkOf()
    for (const asset of [`${sandboxId}:GONE`, '1:ETH']) {
      const page = await post(path, { email: 'ada@example.com', asset })
      expect([page.status, statusIn(page)]).toEqual([422, 'open'])
      expect(page.text).toContain('This cannot be paid with any more')
      expect(page.text).toContain('value="ada@example.com"')
    }
  })

  test('403: a form of another site changes nothing', async () => {
    const { path: link } = await linkOf()
    const { path, sent } = await opened(link)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ])
      for (const each of [link, `${path}/asset`, `${path}/transaction`, `${path}/again`, `${path}/simulate`]) {
        const page = await post(each, {}, { headers: { ...sent.headers, ...headers } })
        expect([each, page.status, page.text.includes('Nothing was changed')]).toEqual([each, 403, true])
      }
    const ours = await post(
      link,
      { email: 'ada@example.com' },
      { headers: { origin: to.url, 'sec-fetch-site': 'same-origin' } },
    )
    expect(ours.status).toBe(303)
  })

  test('429: as often as the rest of the checkout', async () => {
    await using limited = await open({ CHECKOUT_RATE_LIMIT: '1' })
    const { merchantId } = await shop(limited.api)
    const { path } = await linkOf({}, limited, { ...lamps, merchantId })
    const statuses = await Promise.all(Array.from({ length: 4 }, () => get(path, { of: limited })))
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429])
    // A browser shows it to a person.
    const shown = await get(path, { of: limited, headers: { accept: 'text/html', 'accept-language': 'de' } })
    expect([shown.status, shown.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
    expect(shown.text).toContain('Das waren zu viele Anfragen.')
    expect(shown.headers.get('retry-after')).toBe('1')
  })
})

describe('on https', () => {
  test('the cookie is sent on https only, under a name that only https can set', async () => {
    await using secure = await open({ PUBLIC_URL: 'https://pay.lamps.shop' })
    const { merchantId } = await shop(secure.api)
    const { path: link } = await linkOf({}, secure, { ...lamps, merchantId })
    const { cookie, path, secret } = await opened(link, {}, { of: secure })
    expect(cookie).toMatch(/^__Secure-paymachine_pay=.*; HttpOnly; SameSite=Lax; Secure$/)
    const page = (name: string) => get(path, { of: secure, headers: { cookie: `${name}=${secret}` } })
    expect((await page('__Secure-paymachine_pay')).status).toBe(200)
    // An attacker on the network could set this one.
    expect((await page('paymachine_pay')).status).toBe(404)
  })
})

describe('GET /pay/:linkId/:paymentId', () => {
  test('200 with its cookie, also among others of its name; 404 without it, with another one, or below another link', async () => {
    const { path: link } = await linkOf()
    const [mine, other] = [await opened(link), await opened(link)]
    expect(statusIn(await get(mine.path, mine.sent))).toBe('pay')
    const both = { headers: { cookie: `a=b; ${other.sent.headers.cookie}; ${mine.sent.headers.cookie}` } }
    expect(statusIn(await get(mine.path, both))).toBe('pay')
    const elsewhere = mine.path.replace(link, (await linkOf()).path)
    const unknown = mine.path.replace(/pay_\w+$/, encodeId('pay', crypto.randomUUID()))
    for (const [path, sent] of [
      [mine.path, {}],
      [mine.path, other.sent],
      [mine.path, { headers: { cookie: `${mine.sent.headers.cookie}x` } }],
      [`${mine.path}?s=${other.secret}`, {}],
      [`${mine.path}?s=${other.secret}`, mine.sent],
      [elsewhere, mine.sent],
      [unknown, mine.sent],
    ] as const) {
      const page = await get(path, sent)
      expect([path, page.status, statusIn(page)]).toEqual([path, 404, 'not_found'])
      expect(page.text).not.toContain('ada@example.com')
    }
  })

  test('303 with the secret in the address: sets the cookie, and leads to the address without it', async () => {
    const { path: link } = await linkOf()
    const { path, secret, cookie } = await opened(link)
    const answer = await get(`${path}?s=${secret}&lang=de&utm_source=mail`)
    expect([answer.status, answer.text, answer.headers.get('location')]).toEqual([303, '', `${path}?lang=de`])
    expect(answer.headers.get('set-cookie')?.split('; Max-Age')[0]).toBe(cookie.split('; Max-Age')[0])
    expect(answer.headers.get('referrer-policy')).toBe('same-origin')
  })

  test('200: the secret is in no page, not even in the one with its QR code', async () => {
    const { path: link } = await linkOf()
    const { path, secret, sent } = await opened(link)
    for (const query of ['', '?phone=1']) {
      const { text } = await get(path + query, sent)
      expect(text).not.toContain(secret)
      expect(text.includes('phone-qr')).toBe(query !== '')
    }
  })
})

describe('below the page of a payment', () => {
  test('404 without its cookie, and with the one of another payment', async () => {
    const { path: link } = await linkOf()
    const [{ path }, other] = [await opened(link), await opened(link)]
    for (const sent of [{}, other.sent]) {
      for (const each of ['asset', 'transaction', 'again', 'simulate']) {
        const page = await post(`${path}/${each}`, {}, sent)
        expect([each, page.status, statusIn(page)]).toEqual([each, 404, 'not_found'])
      }
      expect((await get(`${path}/stream`, sent)).json).toMatchObject({ error: { code: 'resource_not_found' } })
    }
  })

  test('GET stream: the payment, and nothing when it is known already', async () => {
    const { path: link } = await linkOf()
    const { path, sent } = await opened(link)
    const event = /data-event="([^"]+)"/.exec((await get(path, sent)).text)?.[1] ?? ''
    const read = async (headers: Readonly<Record<string, string>>) => {
      const ending = new AbortController()
      const { body } = await fetch(`${to.url}${path}/stream`, { headers, signal: ending.signal })
      let text = ''
      for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece
        if (text.includes('\n\n')) break
      }
      ending.abort()
      return text
    }
    expect(await read(sent.headers)).toStartWith(`retry: 2000\n\nid: ${event}\nevent: payment\ndata: {`)
    expect(await read({ ...sent.headers, 'last-event-id': event })).toBe('retry: 2000\n\n')
  })

  test('POST asset: 303 with another asset; 422 with none, with one that is gone, or too late', async () => {
    const { path: link } = await linkOf()
    const { path, sent } = await opened(link)
    const changed = await post(`${path}/asset?lang=de`, { asset: `${sandboxId}:ETH` }, sent)
    expect([changed.status, changed.headers.get('location')]).toEqual([303, `${path}?lang=de`])
    expect((await get(path, sent)).text).toContain('0.004\u00a0ETH')
    for (const asset of ['', `${sandboxId}:GONE`]) {
      const page = await post(`${path}/asset`, { asset }, sent)
      expect([asset, page.status, statusIn(page)]).toEqual([asset, 422, 'pay'])
      expect(page.text).toContain('id="asset-error" data-testid="error"')
    }
    await to.sql`update payments set expires_at = now() where id = ${actorIn(path)}`
    const late = await post(`${path}/asset`, { asset: `${sandboxId}:TUSD` }, sent)
    expect([late.status, statusIn(late)]).toEqual([422, 'expired'])
  })

  test('POST transaction: 303, and the page says that it waits; 422 for what is no hash', async () => {
    const { path: link } = await linkOf()
    const { path, sent } = await opened(link)
    const txHash = `0x${'aB'.repeat(32)}`
    expect((await post(`${path}/transaction`, { txHash }, sent)).status).toBe(303)
    expect((await get(path, sent)).text).toContain('0xabab…abab')
    for (const wrong of ['', '0x12', `${txHash}00`]) {
      const page = await post(`${path}/transaction`, { txHash: wrong }, sent)
      expect([wrong, page.status, page.text.includes('data-testid="error"')]).toEqual([wrong, 422, true])
    }
    for (let n = 0; n < 9; n++) await post(`${path}/transaction`, { txHash: `0x${String(n).repeat(64)}` }, sent)
    expect((await post(`${path}/transaction`, { txHash: `0x${'c'.repeat(64)}` }, sent)).status).toBe(422)
  })

  test('POST again: another payment once this one is over, and this one before', async () => {
    const { path: link } = await linkOf()
    const { path, sent } = await opened(link, { name: 'Ada' })
    const early = await post(`${path}/again`, {}, sent)
    expect([early.status, early.headers.get('location')]).toEqual([303, path])
    await to.sql`update payments set expires_at = now() where id = ${actorIn(path)}`
    const again = await post(`${path}/again`, {}, sent)
    const next = again.headers.get('location') ?? ''
    expect([again.status, next !== path, next.startsWith(`${link}/pay_`)]).toEqual([303, true, true])
    const [row] = await to.sql`select customer_email, customer_name, asset from payments where id = ${actorIn(next)}`
    expect(row).toEqual({ customer_email: 'ada@example.com', customer_name: 'Ada', asset: 'TUSD' })
    const [pair = ''] = (again.headers.get('set-cookie') ?? '').split(';')
    expect(statusIn(await get(next, { headers: { cookie: pair } }))).toBe('pay')
  })

  test('POST again: asks for the e-mail address once the customer was erased', async () => {
    const { path: link } = await linkOf()
    const { path, sent } = await opened(link)
    await to.sql`
      update payments set expires_at = now(), customer_email = 'cus_1@erased.invalid' where id = ${actorIn(path)}`
    const answer = await post(`${path}/again`, {}, sent)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, link])
    const page = await get(link, sent)
    expect([statusIn(page), page.text.includes('erased.invalid')]).toEqual(['open', false])
    const entered = await post(link, { email: 'cus_1@erased.invalid', asset: '31337:TUSD' })
    expect([entered.status, entered.text.includes('data-testid="error"')]).toEqual([400, true])
  })

  test('POST again: 410 once the link is closed', async () => {
    const { path: link, actor } = await linkOf()
    const { path, sent } = await opened(link)
    await to.sql`update payments set expires_at = now() where id = ${actorIn(path)}`
    await to.sql`update payment_links set state = 'deactivated', deactivated_at = now() where id = ${actor}`
    const page = await post(`${path}/again`, {}, sent)
    expect([page.status, statusIn(page)]).toEqual([410, 'closed'])
    expect((await get(path, sent)).text).not.toContain('start-again')
  })

  test('POST simulate: 422 where there is no sandbox', async () => {
    const { path: link } = await linkOf()
    const { path, sent } = await opened(link)
    const page = await post(`${path}/simulate`, {}, sent)
    expect([page.status, statusIn(page)]).toEqual([422, 'pay'])
    expect(page.text).toContain('The sandbox wallet could not pay')
  })
})

/** The price of one ETH in dollars; 0: none. */
const priceEther = async (dollars: number) => {
  const words = [dollars * 1e8, Math.floor(Date.now() / 1_000)].map(each => BigInt(each).toString(16).padStart(64, '0'))
  // set(int256,uint256)
  await chain.send({ from: chain.accounts[1], to: sandboxContracts.feed, data: `0xa22c5540${words.join('')}` })
  aheadMs += 6_000
}

describe('an asset whose price vanishes while the page is open', () => {
  const asset = `${sandboxId}:ETH`
  afterAll(() => priceEther(2_500))

  test('is refused at its field, a payment keeps its price until it expires, and then another asset is offered', async () => {
    const { path: link } = await linkOf()
    expect((await get(link)).text).toMatch(/value="31337:ETH" required/)
    const { path, sent } = await opened(link, { asset })
    await priceEther(0)

    const refused = await post(link, { email: 'ada@example.com', asset })
    expect([refused.status, statusIn(refused)]).toEqual([422, 'open'])
    expect(refused.text).toContain('There is no price for ETH right now.')
    expect(refused.text).toMatch(/value="31337:ETH" disabled/)
    expect(refused.text).toMatch(/value="31337:TUSD" checked/)
    expect(refused.text).toContain('value="ada@example.com"')

    const kept = await get(path, sent)
    expect([statusIn(kept), kept.text.includes('0.004\u00a0ETH')]).toEqual(['pay', true])
    await to.sql`
      update payments set quote_expires_at = now(), expires_at = now() + interval '1 hour' where id = ${actorIn(path)}`
    expect(statusIn(await get(path, sent))).toBe('price_expired')
    const again = await post(`${path}/asset`, { asset }, sent)
    expect([again.status, statusIn(again)]).toEqual([422, 'price_expired'])
    expect(again.text).toContain('There is no price for ETH right now.')
    expect((await post(`${path}/asset`, { asset: `${sandboxId}:TUSD` }, sent)).status).toBe(303)
    const other = await get(path, sent)
    expect([statusIn(other), other.text.includes('10.00\u00a0TUSD')]).toEqual(['pay', true])
  })
})

describe('a network in trouble', () => {
  test('is shown as such, and the others stay; without any of them the page says so', async () => {
    const { path } = await linkOf()
    expect(statusIn(await get(path))).toBe('open')
    await to.sql`update chain_cursors set stopped_at = now() where chain_id = ${sandboxId}`
    try {
      const page = await get(path)
      expect([page.status, statusIn(page)]).toEqual([200, 'unavailable'])
      expect(page.text).toContain('data-poll="10"')
    } finally {
      await to.sql`update chain_cursors set stopped_at = null where chain_id = ${sandboxId}`
    }
  })
})
