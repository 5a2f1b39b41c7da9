import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import pino from 'pino'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { sandboxChain, sandboxId } from '../../../src/chain/known/sandbox.ts'
import { routes } from '../../../src/http/routes.ts'
import { decodeId } from '../../../src/ids.ts'
import type { Log } from '../../../src/log.ts'
import { sandboxContracts } from '../../../src/sandbox/contracts.ts'
import { deploy } from '../../../src/sandbox/deploy.ts'
import { INVOICE_PURPOSE } from '../../../src/sealed-columns.ts'
import { pageRoutes } from '../../../src/server/page-routes.ts'
import { anvil, type TestChain } from '../../harness/anvil.ts'
import { type ApiServer, apiServer, type Called } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { makeCreditNote } from '../../http/credit-notes.ts'
import { makeCustomer } from '../../http/customers.ts'
import { makeInvoice, setSeller } from '../../http/invoices.ts'
import { type Shop, shop } from '../../http/people.ts'

let chain: TestChain
let to: ApiServer
let lamps: Shop

const served = [...routes, ...pageRoutes(routes)]

const open = (env: Readonly<Record<string, string>> = {}, outside: { readonly log?: Log } = {}) =>
  apiServer({
    routes: served,
    outside,
    env: { CHECKOUT_RATE_LIMIT: '0', ...env },
    chains: outside =>
      connectChains([sandboxChain(sandboxContracts)], id => (id === sandboxId ? [chain.url] : []), outside),
  })

beforeAll(async () => {
  chain = await anvil()
  await deploy(chain.url)
  to = await open()
  lamps = await shop(to.api, 'Lamps <b>& Söhne</b>')
  await setSeller(to.sql, lamps.merchantId)
})
afterAll(async () => {
  await to[Symbol.asyncDispose]()
  await chain[Symbol.asyncDispose]()
})

const lamp = { description: 'A lamp', unitAmountMinor: 1000 }

const issue = async (more: object = {}, of = to, { merchantId } = lamps) => {
  const owner = { merchantId, livemode: false }
  const { customer } = await makeCustomer(of.api, owner, { name: 'Ada Example' })
  const made = await makeInvoice(of.api, owner, {
    ...{ currency: 'USD', lines: [lamp], finalize: true, customerId: customer.id, ...more },
  })
  const { id, context } = made.invoice
  const token = of.api.keyring.open(INVOICE_PURPOSE, id, context.sealedToken ?? '')
  return { actor: id, id: made.id, token, path: `/invoices/${token}`, context }
}
type Issued = Awaited<ReturnType<typeof issue>>

type Sent = { readonly headers?: Readonly<Record<string, string>>; readonly of?: ApiServer }
const get = (path: string, { headers = {}, of = to }: Sent = {}) => of.call('GET', path, { headers })
const post = (path: string, fields: Readonly<Record<string, string>> = {}, { headers = {}, of = to }: Sent = {}) =>
  of.call('POST', path, {
    body: String(new URLSearchParams(fields)),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
const pay = (path: string, sent?: Sent) => post(path, { asset: `${sandboxId}:TUSD` }, sent)
const send = async ({ actor }: Issued, event: { readonly type: string } & Readonly<Record<string, unknown>>) =>
  expect((await to.api.actors.dispatch({ kind: 'invoice', actor, event })).ok).toBe(true)
const paymentsOf = async ({ actor }: Issued) => {
  const rows = await to.sql<{ amount_minor: string }[]>`
    select amount_minor from payments where invoice_id = ${actor} order by seq`
  return rows.map(({ amount_minor }) => Number(amount_minor))
}

const statusIn = ({ text }: Called) => /data-testid="status" data-status="(\w+)"/.exec(text)?.[1]
const invoiceStatusIn = ({ text }: Called) => /data-testid="invoice-status" data-status="(\w+)"/.exec(text)?.[1]
const headersIn = ({ headers }: Called) =>
  ['referrer-policy', 'cache-control', 'x-robots-tag'].map(name => headers.get(name))
const SECRET = ['no-referrer', 'no-store', 'noindex']

/** Of a payment that was just opened: the path of its page, and the cookie as browsers send it. */
const opened = (answer: Called) => {
  expect([answer.status, answer.text]).toEqual([303, ''])
  const [pair = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  const path = answer.headers.get('location') ?? ''
  const [, secret = ''] = pair.split('=')
  return {
    path,
    secret,
    pair,
    sent: { headers: { cookie: pair } },
    actor: decodeId('pay', path.split('/').at(-1) ?? ''),
  }
}

describe('GET /invoices/:token', () => {
  test('200: the invoice, which no other host and no text can change', async () => {
    const { path, token, context } = await issue({ notes: 'Danke <i>sehr</i>', dueDate: null, daysUntilDue: 14 })
    const page = await get(path)
    expect([page.status, statusIn(page), invoiceStatusIn(page)]).toEqual([200, 'open', 'open'])
    expect(headersIn(page)).toEqual(SECRET)
    const hashes = [...page.text.matchAll(/<style>(.*?)<\/style>/gs)].map(
      ([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    )
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' ${hashes.join(' ')}; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types markup`,
    )
    expect(page.text).toContain(`<bdi data-testid="invoice-number">${context.number}</bdi>`)
    for (const text of ['Lampen Köln GmbH', 'Ada Example', 'A lamp', '$10.00', 'Danke &#60;i&#62;sehr&#60;/i&#62;'])
      expect([text, page.text.includes(text)]).toEqual([text, true])
    for (const text of ['<b>& Söhne', '<i>sehr', 'plink_', 'cus_', 'mer_', context.tokenHash ?? 'none'])
      expect([text, page.text.includes(text)]).toEqual([text, false])
    const [, title = ''] = /<title>(.*?)<\/title>/.exec(page.text) ?? []
    expect(title).toStartWith(`TEST · Invoice ${context.number} – Lamps`)
    expect(title).not.toContain(token)
    const document = /href="([^"]+)"[^>]*data-testid="document"/.exec(page.text)?.[1] ?? ''
    expect((await get(document)).headers.get('content-type')).toBe('application/pdf')
  })

  test('200: in the language of ?lang=, or else of the browser', async () => {
    const { path } = await issue()
    for (const page of [await get(`${path}?lang=de`), await get(path, { headers: { 'accept-language': 'de' } })])
      expect(page.text).toContain('<html lang="de">')
    expect((await get(`${path}?lang=de`)).text).toContain(`action="${path}?lang=de"`)
    expect((await get(`${path}?utm_source=mail`)).status).toBe(200)
  })

  test('200: what was paid of it and what is being paid is not due, as in the document', async () => {
    const invoice = await issue()
    const { actor: payment } = opened(await pay(invoice.path))
    await send(invoice, { type: 'money_counted', paymentId: payment, countedMinor: 300, processedMinor: 0 })
    await send(invoice, { type: 'payment_processing', amountMinor: 200 })
    const { text } = await get(invoice.path)
    expect(text).toContain('<span class="due__sum">$5.00</span>')
    expect(text).toContain('Pay $5.00')
    expect(text).toContain('$2.00 is on its way')
    expect(text).toContain('<dt>Paid</dt><dd class="num">−$3.00</dd>')
  })

  test('404: a token that is unknown, malformed or was replaced, each with the same page', async () => {
    const invoice = await issue()
    const missing = await get(`/invoices/${'A'.repeat(22)}`)
    expect([missing.status, statusIn(missing), ...headersIn(missing)]).toEqual([404, 'not_found', ...SECRET])
    for (const token of ['x', '..%2f', invoice.actor, `${invoice.token}x`, 'a'.repeat(2_000), '%00', '%F0%9F%92%A1']) {
      const page = await get(`/invoices/${token}`)
      expect([token, page.status, page.text]).toEqual([token, 404, missing.text])
      expect((await pay(`/invoices/${token}`)).status).toBe(404)
    }
    const { path, sent } = opened(await pay(invoice.path))
    expect((await get(path, sent)).status).toBe(200)
    await send(invoice, { type: 'rotate_url', tokenHash: 'f'.repeat(64), sealedToken: 'sealed' })
    expect((await get(invoice.path)).text).toBe(missing.text)
    expect((await pay(invoice.path)).status).toBe(404)
    for (const below of ['', '/stream']) expect((await get(path + below, sent)).status).toBe(404)
  })

  test('410: a void invoice, and the page of a payment that waits for money', async () => {
    const invoice = await issue()
    const { path, sent } = opened(await pay(invoice.path))
    const voided = await to.call('POST', `${lamps.path}/invoices/${invoice.id}/void`, {
      ...{ bearer: lamps.owner.bearer, json: {} },
    })
    expect(voided.status).toBe(200)
    for (const page of [await get(invoice.path), await pay(invoice.path)]) {
      expect([page.status, statusIn(page), invoiceStatusIn(page)]).toEqual([410, 'closed', 'void'])
      expect(headersIn(page)).toEqual(SECRET)
    }
    const page = await get(path, sent)
    expect([page.status, statusIn(page), page.text.includes('deposit-address')]).toEqual([410, 'closed', false])
  })

  test('410: a void invoice says since when and why, and has its documents', async () => {
    const invoice = await issue()
    const { note } = await makeCreditNote(
      to.api,
      { merchantId: lamps.merchantId, livemode: false },
      {
        ...{
          invoiceId: invoice.actor,
          credited: { lines: [{ lineId: invoice.context.lines[0]?.id ?? '', amountMinor: 300 }] },
        },
      },
    )
    const voided = await to.call('POST', `${lamps.path}/invoices/${invoice.id}/void`, {
      ...{ bearer: lamps.owner.bearer, json: { reason: 'Ordered <i>twice</i>' } },
    })
    expect(voided.status).toBe(200)
    const page = await get(invoice.path)
    expect([page.status, statusIn(page), page.text.includes('<form')]).toEqual([410, 'closed', false])
    const [last] = await to.sql<{ number: string; day: string }[]>`
      select number, issue_date as day from credit_notes where invoice_id = ${invoice.actor} order by seq desc limit 1`
    const day = new Date(last?.day ?? '').toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' })
    expect(page.text).toContain(`canceled it on ${day}. Nothing is due.`)
    expect(page.text).toContain('data-testid="void-reason">Ordered &#60;i&#62;twice&#60;/i&#62;</p>')
    expect(page.text).toContain(invoice.context.number ?? 'none')
    const links = [
      ...page.text.matchAll(/href="([^"]+)" type="application\/pdf" data-testid="(?:document|credit-note)"/g),
    ]
    expect(links).toHaveLength(3)
    for (const [, href = ''] of links) expect((await get(href)).headers.get('content-type')).toBe('application/pdf')
    for (const number of [note.context.number, last?.number]) expect(page.text).toContain(`<bdi>${number}</bdi>`)
    expect((await get(`${invoice.path}?lang=de`)).text).toContain('storniert. Es ist nichts zu zahlen.')
  })

  test('200: lists each credit note with its number, date, amount and document', async () => {
    const invoice = await issue()
    expect((await get(invoice.path)).text).not.toContain('data-testid="credit-note"')
    const { note } = await makeCreditNote(
      to.api,
      { merchantId: lamps.merchantId, livemode: false },
      {
        ...{
          invoiceId: invoice.actor,
          credited: { lines: [{ lineId: invoice.context.lines[0]?.id ?? '', amountMinor: 300 }] },
        },
      },
    )
    const { text } = await get(invoice.path)
    const { number, issueDate } = note.context
    const day = new Date(issueDate).toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' })
    expect(text).toContain(`<bdi>${number}</bdi> of ${day}</p><b class="items__sum">$3.00</b>`)
    const href = /href="([^"]+)"[^>]*data-testid="credit-note"/.exec(text)?.[1] ?? ''
    expect(href).toContain(invoice.token)
    const document = await get(href)
    expect(document.headers.get('content-disposition')).toContain(number)
    expect(headersIn(document)).toEqual(SECRET)
  })

  test('200: an invoice that is uncollectible can be paid', async () => {
    const invoice = await issue()
    await send(invoice, { type: 'mark_uncollectible' })
    const page = await get(invoice.path)
    expect([page.status, statusIn(page), invoiceStatusIn(page)]).toEqual([200, 'open', 'uncollectible'])
    opened(await pay(invoice.path))
  })

  test('200: an invoice of which nothing was due is paid, and has no form', async () => {
    const invoice = await issue({ lines: [{ ...lamp, unitAmountMinor: 0 }] })
    const page = await get(invoice.path)
    expect([page.status, statusIn(page), page.text.includes('<form')]).toEqual([200, 'paid', false])
    expect((await pay(invoice.path)).status).toBe(409)
  })
})

describe('POST /invoices/:token', () => {
  test('303: opens a payment for what is due, and sets the cookie of its page', async () => {
    const invoice = await issue()
    const answer = await pay(`${invoice.path}?lang=de`)
    const { path } = opened(answer)
    expect(path).toMatch(new RegExp(`^${invoice.path}/pay_\\w{26}\\?lang=de$`))
    expect(answer.headers.get('set-cookie')).toMatch(
      new RegExp(
        `^paymachine_pay=pay_\\w+_secret_[\\w-]{43}; Path=${path.replace('?lang=de', '')}; Max-Age=\\d+; HttpOnly; SameSite=Lax$`,
      ),
    )
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(await paymentsOf(invoice)).toEqual([1000])
  })

  test('the page of the payment is that of the checkout, with the way back', async () => {
    const invoice = await issue()
    const { path, sent, secret } = opened(await pay(invoice.path))
    const page = await get(path, sent)
    expect([page.status, statusIn(page), ...headersIn(page)]).toEqual([200, 'pay', ...SECRET])
    expect(page.text).toContain(`href="${invoice.path}" data-testid="back-to-invoice"`)
    expect(page.text).toContain(`Invoice <bdi>${invoice.context.number}</bdi>`)
    expect(page.text).not.toContain(secret)
    expect((await get(path)).status).toBe(404)
    const other = await issue()
    expect((await get(path.replace(invoice.token, other.token), sent)).status).toBe(404)
    // With the secret in the address, as on a phone.
    const phone = await get(`${path}?s=${secret}`)
    expect([phone.status, phone.headers.get('location'), phone.headers.get('referrer-policy')]).toEqual([
      ...[303, path, 'no-referrer'],
    ])
  })

  test('303: a browser that has begun a payment of what is due goes on with it', async () => {
    const invoice = await issue()
    const { path, sent } = opened(await pay(invoice.path))
    const latest = ((await get(path, sent)).headers.get('set-cookie') ?? '').split(';')
    expect(latest[1]).toBe(` Path=${invoice.path}`)
    const back = { headers: { cookie: latest[0] ?? '' } }
    const page = await get(invoice.path, back)
    expect(page.text).toContain(`href="${path}" data-testid="pay-invoice"`)
    expect(page.text).not.toContain('<form')
    expect((await pay(invoice.path, back)).headers.get('location')).toBe(path)
    expect(await paymentsOf(invoice)).toEqual([1000])
    // It would pay more than is due now.
    await send(invoice, { type: 'payment_processing', amountMinor: 400 })
    expect((await get(invoice.path, back)).text).toContain('Pay $6.00')
    expect(statusIn(await get(path, sent))).toBe('closed')
    opened(await pay(invoice.path, back))
    expect(await paymentsOf(invoice)).toEqual([1000, 600])
  })

  test('409: nothing is due while other payments are about to pay it; the page says that they are on their way', async () => {
    const invoice = await issue()
    await send(invoice, { type: 'payment_processing', amountMinor: 1000 })
    const page = await get(invoice.path)
    expect([page.status, statusIn(page), page.text.includes('<form')]).toEqual([200, 'seen', false])
    const answer = await pay(invoice.path)
    expect([answer.status, statusIn(answer), ...headersIn(answer)]).toEqual([409, 'seen', ...SECRET])
    expect(answer.text).toContain('Your payment is on its way')
    expect(answer.text).not.toContain('data-testid="error"')
    expect(await paymentsOf(invoice)).toEqual([])
    await send(invoice, { type: 'payment_reverted', amountMinor: 1000 })
    opened(await pay(invoice.path))
  })

  test.each([
    [{}, 'Choose what you want to pay with.'],
    [{ asset: '31337:NONE' }, 'This cannot be paid with any more.'],
    [{ asset: '<b>' }, 'Choose what you want to pay with.'],
    [{ chainId: '31337' }, 'Choose what you want to pay with.'],
    [{ asset: '1:USDC' }, 'This cannot be paid with any more.'],
  ])('422: %j', async (fields, sentence) => {
    const invoice = await issue()
    const page = await post(invoice.path, fields as Record<string, string>)
    expect([page.status, statusIn(page), ...headersIn(page)]).toEqual([422, 'open', ...SECRET])
    expect(page.text).toContain(sentence)
    expect(await paymentsOf(invoice)).toEqual([])
  })

  test('403: a form of another site opens nothing, and one of this page without its origin does', async () => {
    const invoice = await issue()
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'null' },
      { 'sec-fetch-site': 'same-site', origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { origin: 'https://evil.example' },
    ]) {
      const page = await pay(invoice.path, { headers })
      expect([page.status, page.text.includes('A lamp')]).toEqual([403, false])
    }
    expect(await paymentsOf(invoice)).toEqual([])
    // What a browser sends from a page with `Referrer-Policy: no-referrer`.
    opened(await pay(invoice.path, { headers: { 'sec-fetch-site': 'same-origin', origin: 'null' } }))
  })

  test('405, 415, 400: no other method or body opens a payment', async () => {
    const invoice = await issue()
    await to.call('HEAD', invoice.path)
    await get(`${invoice.path}?asset=31337:TUSD&chainId=31337`)
    expect((await to.call('PUT', invoice.path)).status).toBe(405)
    expect((await to.call('POST', invoice.path, { json: { asset: '31337:TUSD' } })).status).toBe(415)
    expect((await post(invoice.path, { asset: '31337:TUSD', amountMinor: '1' })).status).toBe(400)
    expect(await paymentsOf(invoice)).toEqual([])
  })

  test('429: as often as the rest of the checkout', async () => {
    await using limited = await open({ CHECKOUT_RATE_LIMIT: '1' })
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => pay(`/invoices/${'A'.repeat(22)}`, { of: limited })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([404, 404, 429, 429, 429, 429])
  })
})

describe('POST …/again', () => {
  test('303: another payment for what is due, once this one is over; nothing while it is not', async () => {
    const invoice = await issue()
    const { path, sent, actor } = opened(await pay(invoice.path))
    expect((await post(`${path}/again`, {}, sent)).headers.get('location')).toBe(path)
    await to.sql`update payments set expires_at = now() where id = ${actor ?? ''}`
    await send(invoice, { type: 'payment_processing', amountMinor: 400 })
    expect(
      (await post(`${path}/again`, {}, { headers: { ...sent.headers, origin: 'https://evil.example' } })).status,
    ).toBe(403)
    const next = opened(await post(`${path}/again`, {}, sent))
    expect(await paymentsOf(invoice)).toEqual([1000, 600])
    const [row] = await to.sql`select asset from payments where id = ${next.actor ?? ''}`
    expect(row).toEqual({ asset: 'TUSD' })
    await send(invoice, { type: 'payment_processing', amountMinor: 600 })
    expect((await post(`${path}/again`, {}, sent)).headers.get('location')).toBe(invoice.path)
    expect(await paymentsOf(invoice)).toEqual([1000, 600])
  })
})

test('the token is in no line of the log, and in no stored event, history or audit entry', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  await using logged = await open({}, { log })
  const made = await shop(logged.api)
  const invoice = await issue({}, logged, made)
  const { path, sent } = opened(await pay(invoice.path, { of: logged }))
  const api = `/v1/checkout${invoice.path}`
  const below = [path, `${path}/stream`, `${invoice.path}x`, api, `${api}/document`, `${invoice.path}/%00`]
  for (const each of below) await (await fetch(logged.url + each, sent)).body?.cancel()
  for (const [action, fields] of [
    ['asset', { asset: '31337:ETH' }],
    ['transaction', { txHash: 'none' }],
    ['again', {}],
    ['simulate', {}],
    // A fault: the text is larger than a form may be.
    ['asset', { asset: 'a'.repeat(10_000) }],
  ] as const)
    await post(`${path}/${action}`, fields, { ...sent, of: logged })
  await until(() => lines.some(line => line.includes('/invoices/:token/:paymentId/simulate')))
  expect(lines.join('')).not.toContain(invoice.token)
  const [found] = await logged.sql<{ texts: string }[]>`
    select concat(
      (select json_agg(e) from events e), (select json_agg(t) from transitions t), (select json_agg(i) from invoices i),
      (select json_agg(p) from payments p), (select json_agg(s) from security_events s)) as texts`
  expect(found?.texts).toContain(invoice.actor)
  expect(found?.texts).not.toContain(invoice.token)
})
