import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { readPdf } from '../billing/pdf-text.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { aLamp } from './invoices.ts'
import { type IssuedInvoice, invoicesOn } from './issued-invoices.ts'
import { type SimulationServer, simulationServer } from './simulations.ts'

let instance: SimulationServer
let to: ReturnType<typeof invoicesOn>
beforeAll(async () => {
  instance = await simulationServer()
  to = invoicesOn(instance)
}, 60_000)
afterAll(async () => {
  const { sql } = instance.server
  await until(async () => (await sql`select from unsettled_payments where reported_rev is null`).length === 0)
  expect(await audit(sql, kinds, { keyring: openKeyring(SECRET_KEY) })).toEqual([])
  await instance[Symbol.asyncDispose]()
})

const newEmail = () => `${crypto.randomUUID()}@example.com`
const monthly = { name: 'Lamp club', currency: 'USD', interval: 'month' }
const lines = [{ ...aLamp, unitAmountMinor: 1000, taxCategory: 'zero' }]

const makePlan = async (more: object = {}): Promise<string> => {
  const answer = await to.ask('POST', '/v1/plans', { ...monthly, lines, ...more })
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return (answer.json as { id: string }).id
}

let visitors = 0
/** From another address each time, because an address has a limit. */
const subscribe = (
  planId: string,
  json: object = {},
  address = `198.51.${Math.floor(visitors / 250)}.${visitors++ % 250}`,
) =>
  instance.server.call('POST', `/v1/checkout/plans/${planId}/subscriptions`, {
    json: { customerEmail: newEmail(), ...json },
    headers: { 'x-forwarded-for': address },
  })

type Subscribed = { readonly subscription: { id: string; status: string; url: string }; readonly invoiceUrl: string }

const subscribed = async (planId: string, json: object = {}) => {
  const answer = await subscribe(planId, json)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  const { subscription, invoiceUrl } = answer.json as Subscribed
  const token = invoiceUrl?.split('/').at(-1) ?? ''
  const [row] = await instance.server.sql<{ id: string }[]>`
    select id from invoices where subscription_id = ${decodeId('sub', subscription.id) ?? ''}`
  const invoice: IssuedInvoice = { id: '', actor: row?.id ?? '', token }
  return { subscription, invoice }
}

const read = async (id: string) => (await to.ask('GET', `/v1/subscriptions/${id}`)).json as Record<string, unknown>

const lastNumber = async () => {
  const [row] = await instance.server.sql<{ last: number }[]>`
    select coalesce(max(last_number), 0)::integer as last from document_series where document_kind = 'invoice'`
  return row?.last ?? 0
}

describe('POST /v1/checkout/plans/:planId/subscriptions', () => {
  test('201: an incomplete subscription whose first invoice is a draft without a number, with an address', async () => {
    const before = await lastNumber()
    const { subscription, invoice } = await subscribed(await makePlan(), { customerName: 'Ada' })
    expect(subscription).toEqual({
      ...{ id: expect.stringMatching(/^sub_/), status: 'incomplete' },
      url: expect.stringMatching(/\/subscriptions\/[\w-]{22}$/),
    })
    expect(await read(subscription.id)).toMatchObject({
      ...{ source: 'checkout', verified: false, status: 'incomplete', url: subscription.url },
      ...{ access: { granted: false }, activation: 'on_payment' },
    })
    const { status, json } = await instance.server.call('GET', `/v1/checkout/invoices/${invoice.token}`)
    expect([status, json]).toMatchObject([
      200,
      { invoice: { status: 'draft', number: null, totalMinor: 1000, customer: null, seller: null }, options: [{}, {}] },
    ])
    expect(await instance.server.call('GET', `/v1/checkout/invoices/${invoice.token}/document`)).toMatchObject({
      status: 404,
    })
    expect(await lastNumber()).toBe(before)
  })

  test('the page of the draft asks for payment and has neither a number nor a document', async () => {
    const { invoice } = await subscribed(await makePlan())
    for (const [lang, name] of [
      ['en', 'First invoice'],
      ['de', 'Erste Rechnung'],
    ]) {
      const { status, text } = await instance.server.call('GET', `/invoices/${invoice.token}?lang=${lang}`)
      expect([status, text]).toEqual([200, expect.stringContaining(`<p class="order__item">${name}</p>`)])
      expect(text).toContain('data-testid="invoice-status" data-status="draft"')
      expect(text).not.toMatch(/data-testid="(document|invoice-number)"/)
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const opened = await instance.server.call('POST', `/invoices/${invoice.token}`, {
      headers,
      body: 'asset=31337:TUSD',
    })
    expect([opened.status, opened.headers.get('location')]).toEqual([303, expect.stringContaining('/pay_')])
  })

  test('money for the draft finalizes it in the same commit, and when it is final the subscription is active', async () => {
    const email = newEmail()
    const { subscription, invoice } = await subscribed(await makePlan(), { customerEmail: email, customerName: 'Ada' })
    const before = await lastNumber()
    const payment = await to.open(invoice)
    expect(payment.amountMinor).toBe(1000)
    await to.send(payment.address, 1000)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
    const { sql } = instance.server
    const [finalized] = await sql<{ is_one_commit: boolean; number: number; customer: object }[]>`
      select f.xid = p.xid as is_one_commit, i.sequence as number, i.customer
      from invoices i
      join transitions f on f.actor = i.id and f.event = 'finalize'
      join transitions p on p.actor = i.id and p.event = 'payment_processing'
      where i.id = ${invoice.actor}`
    expect(finalized).toEqual({
      ...{ is_one_commit: true, number: before + 1 },
      customer: { email, name: 'Ada', company: null, taxId: null, address: null, locale: null },
    })
    await until(async () => (await read(subscription.id)).status === 'active')
    expect(await to.eventsOf(invoice)).toEqual(['created', 'finalized', 'payment_received', 'paid'])
  }, 60_000)

  test('too little money that is final finalizes the draft too', async () => {
    const { invoice } = await subscribed(await makePlan())
    const payment = await to.open(invoice)
    await to.send(payment.address, 400)
    await to.shows(invoice, { state: 'open', paid: 400 })
    const rest = await to.open(invoice)
    expect(rest.amountMinor).toBe(600)
    await to.send(rest.address, 600)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
  }, 60_000)

  test('of two payments for one draft that are seen together the first finalizes it, and the second becomes credit', async () => {
    const { invoice } = await subscribed(await makePlan())
    const before = await lastNumber()
    const tabs = [await to.open(invoice), await to.open(invoice)]
    await Promise.all(tabs.map(({ address }) => to.send(address, 1000)))
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 1000 })
    const [finalizations] = await instance.server.sql<{ count: number }[]>`
      select count(*)::integer as count from transitions where actor = ${invoice.actor} and event = 'finalize'`
    expect([finalizations?.count, await lastNumber()]).toEqual([1, before + 1])
  }, 60_000)

  test('a draft cannot be changed, deleted or finalized by the merchant: 409', async () => {
    const { subscription, invoice } = await subscribed(await makePlan())
    const { data } = (await to.ask('GET', `/v1/invoices?subscriptionId=${subscription.id}`)).json as {
      data: readonly { id: string; url: string }[]
    }
    const [shown] = data
    expect(shown?.url).toEndWith(`/invoices/${invoice.token}`)
    for (const [method, path, json] of [
      ['PATCH', '', { notes: 'changed' }],
      ['DELETE', ''],
      ['POST', '/finalize'],
    ] as const)
      expect((await to.ask(method, `/v1/invoices/${shown?.id}${path}`, json)).status).toBe(409)
  })

  test('nothing of an existing customer is used: no data, and no credit', async () => {
    const email = newEmail()
    const address = { line1: 'Secret Street 1', city: 'Berlin', postalCode: '10115', country: 'DE' }
    const customer = (
      await to.ask('POST', '/v1/customers', { email, name: 'Real Name', company: 'Secret GmbH', address })
    ).json as { id: string }
    const { shop, server } = instance
    const credit = await server.call('POST', `${shop.path}/customers/${customer.id}/credit`, {
      ...{ bearer: shop.owner.bearer, json: { currency: 'USD', amountMinor: 5000, note: 'a gift' } },
    })
    expect(credit.status).toBe(201)
    const planId = await makePlan()
    const known = await subscribe(planId, { customerEmail: email.toUpperCase(), customerName: 'Typed' })
    const unknown = await subscribe(planId)
    const shapeOf = ({ status, text }: typeof known) => [status, text.replaceAll(/[\w-]{22,}/g, '…')]
    expect(shapeOf(known)).toEqual(shapeOf(unknown))
    const { subscription, invoiceUrl } = known.json as Subscribed
    expect(await read(subscription.id)).toMatchObject({ customerId: customer.id })
    const token = invoiceUrl.split('/').at(-1) ?? ''
    const [row] = await server.sql<{ id: string }[]>`
      select id from invoices where subscription_id = ${decodeId('sub', subscription.id) ?? ''}`
    const invoice = { id: '', actor: row?.id ?? '', token }
    const headers = { authorization: `Bearer ${instance.key}` }
    const draft = await fetch(`${server.url}/v1/invoices/${encodeId('inv', invoice.actor)}/document`, { headers })
    const printed = (await readPdf(new Uint8Array(await draft.arrayBuffer()))).flat().map(({ text }) => text)
    expect(printed).toContain('Typed')
    expect(printed.filter(text => /Secret|Real Name|10115/.test(text))).toEqual([])
    const payment = await to.open(invoice)
    expect(payment.amountMinor).toBe(1000)
    await to.send(payment.address, 1000)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
    const [party] = await server.sql<{ customer: object }[]>`select customer from invoices where id = ${row?.id ?? ''}`
    expect(party?.customer).toEqual({
      ...{ email: email.toUpperCase(), name: 'Typed', company: null, taxId: null, address: null, locale: null },
    })
    const pages = await Promise.all(
      ['', '/document?format=json'].map(path => server.call('GET', `/v1/checkout/invoices/${token}${path}`)),
    )
    for (const { text } of pages) expect(text).not.toMatch(/Secret|Real Name/)
  }, 60_000)

  test('404 for a plan that does not exist, 409 for one that is archived or costs nothing, 400 for bad input', async () => {
    expect((await subscribe('plan_01m8eggndrhccbywepq7yp3z8e')).status).toBe(404)
    expect((await subscribe('nonsense')).status).toBe(404)
    const planId = await makePlan()
    for (const [json, param] of [
      [{ customerEmail: 'nonsense' }, 'customerEmail'],
      [{ customerEmail: undefined }, 'customerEmail'],
      [{ customerName: 'x'.repeat(201) }, 'customerName'],
      [{ customerName: 'a\nb' }, 'customerName'],
      [{ metadata: {} }, 'metadata'],
    ] as const)
      expect((await subscribe(planId, json)).json).toMatchObject({ error: { type: 'invalid_request_error', param } })
    expect((await subscribe(planId, { customerEmail: 'someone@erased.invalid' })).status).toBe(409)
    await to.ask('POST', `/v1/plans/${planId}/archive`)
    expect((await subscribe(planId)).json).toMatchObject({ error: { code: 'plan_archived' } })
    const free = await makePlan({ lines: [{ ...lines[0], unitAmountMinor: 0 }] })
    expect((await subscribe(free)).json).toMatchObject({ error: { code: 'state_conflict' } })
  })

  test('a trial needs no payment, and an e-mail address has one for each plan, however it is written', async () => {
    const planId = await makePlan({ trialDays: 7, activation: 'immediate' })
    const customerEmail = newEmail()
    const [first, ...others] = await Promise.all(
      [customerEmail, ` ${customerEmail}`, customerEmail.toUpperCase()].map(email =>
        subscribe(planId, { customerEmail: email }),
      ),
    )
    const answers = [first, ...others].map(answer => answer?.json as Subscribed)
    expect(answers.map(({ subscription }) => subscription.status).sort()).toEqual([
      'incomplete',
      'incomplete',
      'trialing',
    ])
    for (const { subscription, invoiceUrl } of answers)
      expect(invoiceUrl === null).toBe(subscription.status === 'trialing')
    const other = await makePlan({ trialDays: 7 })
    expect((await subscribe(other, { customerEmail })).json).toMatchObject({ subscription: { status: 'trialing' } })
  })

  test('429 after 20 in an hour from one address group, and with 1,000 that are not paid', async () => {
    const planId = await makePlan()
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => subscribe(planId, {}, `2001:db8:1:2::${n}`)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), ...Array(4).fill(429)])
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(3_000)
    expect((await subscribe(planId, {}, '2001:db8:1:3::1')).status).toBe(201)

    const { sql } = instance.server
    const [{ id = '' } = {}] = await sql<
      { id: string }[]
    >`select id from subscriptions where state = 'incomplete' limit 1`
    await sql`
      insert into subscriptions overriding system value
      select (jsonb_populate_record(s, jsonb_build_object(
        'id', gen_random_uuid(), 'seq', 1000000 + n, 'token_hash', md5(n::text) || md5(n::text)))).*
      from subscriptions s cross join generate_series(1, 1000) n where s.id = ${id}`
    const full = await subscribe(planId)
    expect([full.status, full.headers.get('retry-after')]).toEqual([429, '3600'])
    await sql`delete from subscriptions where seq > 1000000`
    expect((await subscribe(planId)).status).toBe(201)
  }, 30_000)
})

describe('a visitor who does not pay', () => {
  /** In test mode the e-mail address can be that of a customer with a clock. */
  const clockFor = async (customerEmail: string) => {
    const clock = (await to.ask('POST', '/v1/sandbox/test-clocks', {})).json as { id: string; now: string }
    await to.ask('POST', '/v1/customers', { email: customerEmail, testClockId: clock.id })
    const advance = async (days: number) => {
      const read = async () =>
        (await to.ask('GET', `/v1/sandbox/test-clocks/${clock.id}`)).json as { now: string; status: string }
      const at = new Date(Date.parse((await read()).now) + days * 86_400_000).toISOString()
      expect((await to.ask('POST', `/v1/sandbox/test-clocks/${clock.id}/advance`, { to: at })).status).toBe(200)
      await until(async () => (await read()).status === 'ready', { timeoutMs: 30_000, everyMs: 50 })
    }
    return { advance }
  }

  test('has used no number: the draft is deleted after seven days, and money that comes later is credit', async () => {
    const customerEmail = newEmail()
    const { advance } = await clockFor(customerEmail)
    const { subscription, invoice } = await subscribed(await makePlan(), { customerEmail })
    const payment = await to.open(invoice)
    await advance(6.9)
    expect((await read(subscription.id)).status).toBe('incomplete')
    await advance(0.2)
    expect(await read(subscription.id)).toMatchObject({
      status: 'expired',
      endReason: 'incomplete',
      openInvoiceId: null,
    })
    const [row] = await instance.server
      .sql`select state, number, token_hash, sealed_token from invoices where id = ${invoice.actor}`
    expect(row).toEqual({ state: 'deleted', number: null, token_hash: null, sealed_token: null })
    expect((await instance.server.call('GET', `/v1/checkout/invoices/${invoice.token}`)).status).toBe(404)
    expect((await to.ask('GET', `/v1/invoices?subscriptionId=${subscription.id}`)).json).toMatchObject({ data: [] })

    await to.send(payment.address, 1000)
    await to.shows(invoice, { state: 'deleted', overpaid: 1000 })
    expect(await to.creditOf(invoice)).toEqual(['overpayment 1000 -> 1000'])
    await instance.becomes(payment.id, { state: 'success', attention: true })
  }, 90_000)

  test('of a trial gets a draft before its end, and without payment the subscription ends without a number', async () => {
    const customerEmail = newEmail()
    const { advance } = await clockFor(customerEmail)
    const { subscription } = await subscribed(await makePlan({ trialDays: 14, leadDays: 3, graceDays: 2 }), {
      customerEmail,
    })
    await advance(12)
    const [draft] = await instance.server.sql`
      select state, number, token_hash is not null as has_page from invoices where subscription_id = ${decodeId('sub', subscription.id) ?? ''}`
    expect([(await read(subscription.id)).status, draft]).toEqual([
      'trialing',
      { state: 'draft', number: null, has_page: true },
    ])
    await advance(3)
    expect((await read(subscription.id)).status).toBe('past_due')
    await advance(2)
    expect(await read(subscription.id)).toMatchObject({ status: 'canceled', endReason: 'unpaid' })
    const [after] = await instance.server.sql`
      select state, number from invoices where subscription_id = ${decodeId('sub', subscription.id) ?? ''}`
    expect(after).toEqual({ state: 'deleted', number: null })
  }, 90_000)

  test('of a trial who pays in the grace gets an invoice that is due when it is issued', async () => {
    const customerEmail = newEmail()
    const { advance } = await clockFor(customerEmail)
    const { subscription } = await subscribed(await makePlan({ trialDays: 14, leadDays: 3, graceDays: 5 }), {
      customerEmail,
    })
    await advance(16)
    const { data } = (await to.ask('GET', `/v1/invoices?subscriptionId=${subscription.id}`)).json as {
      data: readonly { id: string; url: string }[]
    }
    const [shown = { id: '', url: '' }] = data
    const invoice = { id: shown.id, actor: decodeId('inv', shown.id) ?? '', token: shown.url.split('/').at(-1) ?? '' }
    await to.send((await to.open(invoice)).address, 1000)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
    const [dates] = await instance.server
      .sql`select issue_date = due_date as is_due from invoices where id = ${invoice.actor}`
    expect(dates).toEqual({ is_due: true })
    await until(async () => (await read(subscription.id)).status === 'active')
  }, 90_000)
})

describe('the pages of a plan and of a subscription', () => {
  const html = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
  const get = (path: string) => instance.server.call('GET', path, { headers: { accept: 'text/html' } })
  const post = (path: string, body = '', headers: Record<string, string> = {}) =>
    instance.server.call('POST', path, {
      headers: { ...html, 'x-forwarded-for': `203.0.113.${visitors++ % 250}`, ...headers },
      body,
    })
  const statusIn = (text: string) => /data-testid="subscription-status" data-status="(\w+)"/.exec(text)?.[1]
  const formFor = (email: string) => new URLSearchParams({ email, name: 'Ada' }).toString()

  test('lead a visitor from the plan to the first invoice, to cancelling and to continuing, in both languages', async () => {
    const planId = await makePlan({
      description: 'One <b>lamp</b>',
      lines: [{ ...lines[0], taxCategory: 'standard', taxRateBps: 1900 }],
    })
    for (const [lang, word] of [
      ['en', 'every month'],
      ['de', 'jeden Monat'],
    ]) {
      const { status, text } = await get(`/plans/${planId}?lang=${lang}`)
      expect([status, text]).toEqual([200, expect.stringContaining(word ?? '')])
      expect(text).toContain('data-testid="subscribe"')
      expect(text).toContain('One &#60;b&#62;lamp&#60;/b&#62;')
      expect(text).toContain('data-testid="test-mode"')
    }
    const email = newEmail()
    const subscribed = await post(`/plans/${planId}?lang=en`, formFor(email))
    const page = subscribed.headers.get('location') ?? ''
    expect([subscribed.status, page]).toEqual([303, expect.stringMatching(/^\/subscriptions\/[\w-]{22}\?lang=en$/)])
    expect(subscribed.headers.get('referrer-policy')).toBe('no-referrer')
    const first = await get(page)
    expect([first.status, statusIn(first.text)]).toEqual([200, 'incomplete'])
    expect(first.text).not.toContain('cancel-subscription')
    expect(Object.fromEntries(first.headers)).toMatchObject({
      ...{ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store', 'x-robots-tag': 'noindex' },
    })
    const [, invoicePath = ''] =
      /href="(\/invoices\/[\w-]{22})\?lang=en" data-testid="pay-invoice"/.exec(first.text) ?? []
    const token = invoicePath.split('/').at(-1) ?? ''
    const [row] = await instance.server.sql<{ id: string }[]>`
      select i.id from invoices i join subscriptions s on s.id = i.subscription_id where s.payer->>'email' = ${email}`
    const invoice = { id: '', actor: row?.id ?? '', token }
    await to.send((await to.open(invoice)).address, 1190)
    await to.shows(invoice, { state: 'paid', paid: 1190 })
    await until(async () => statusIn((await get(page)).text) === 'active')

    const path = page.split('?')[0]
    expect(await post(`${path}/cancel`, '', { origin: 'https://evil.example' })).toMatchObject({ status: 403 })
    expect(statusIn((await get(page)).text)).toBe('active')
    expect(await post(`${path}/cancel`)).toMatchObject({ status: 303 })
    const canceled = (await get(page)).text
    expect(canceled).toContain('It ends on ')
    expect(canceled).not.toContain('cancel-subscription')
    expect(await post(`${path}/cancel`)).toMatchObject({ status: 409 })
    expect(await post(`${path}/continue`)).toMatchObject({ status: 303 })
    expect((await get(page)).text).toContain('data-testid="cancel-subscription"')
    const { data } = (await to.ask('GET', `/v1/subscriptions?planId=${planId}`)).json as {
      data: readonly { id: string }[]
    }
    const id = data[0]?.id ?? ''
    await to.ask('POST', `/v1/subscriptions/${id}/cancel`, { at: 'period_end' })
    // What the merchant has canceled, the customer cannot continue.
    expect((await get(page)).text).not.toContain('continue-subscription')
    expect(await post(`${path}/continue`)).toMatchObject({ status: 409 })
  }, 60_000)

  test('show what is wrong with a form, and a plan that is archived, costs nothing or is unknown', async () => {
    const planId = await makePlan()
    const refused = await post(`/plans/${planId}?lang=en`, 'email=%3Cscript%3E&name=Ada')
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('value="&#60;script&#62;"')])
    expect(refused.text).toContain('id="email-error"')
    expect((await post(`/plans/${planId}`, formFor(newEmail()), { origin: 'https://evil.example' })).status).toBe(403)
    const free = await makePlan({ lines: [{ ...lines[0], unitAmountMinor: 0 }] })
    expect((await get(`/plans/${free}`)).text).toContain('data-status="unavailable"')
    expect((await post(`/plans/${free}`, formFor(newEmail()))).status).toBe(409)
    await to.ask('POST', `/v1/plans/${planId}/archive`)
    const archived = await get(`/plans/${planId}`)
    expect([archived.status, archived.text]).toEqual([410, expect.stringContaining('data-status="closed"')])
    expect((await post(`/plans/${planId}`, formFor(newEmail()))).status).toBe(410)
    for (const path of [
      '/plans/plan_01m8eggndrhccbywepq7yp3z8e',
      '/plans/x',
      '/subscriptions/x',
      `/subscriptions/${'x'.repeat(22)}`,
    ]) {
      const { status, text } = await get(path)
      expect([path, status, text]).toEqual([path, 404, expect.stringContaining('data-status="not_found"')])
    }
    expect((await post(`/subscriptions/${'x'.repeat(22)}/cancel`)).status).toBe(404)
  })

  test('of a trial lead to the page of the subscription, and say when the trial ends', async () => {
    const planId = await makePlan({ trialDays: 14 })
    const { headers } = await post(`/plans/${planId}`, formFor(newEmail()))
    const { text } = await get(headers.get('location') ?? '')
    expect(statusIn(text)).toBe('trialing')
    expect(text).toContain('Your trial ends on ')
    const path = headers.get('location')?.split('?')[0]
    await post(`${path}/cancel`)
    const { data } = (await to.ask('GET', `/v1/subscriptions?planId=${planId}`)).json as {
      data: readonly { id: string }[]
    }
    expect(await read(data[0]?.id ?? '')).toMatchObject({ status: 'trialing', cancelAtPeriodEnd: true })
  })

  test('limit how many subscriptions are begun: 429 with the reason on the page', async () => {
    const planId = await makePlan()
    const from = { 'x-forwarded-for': '192.0.2.77' }
    for (let n = 0; n < 20; n++) expect((await post(`/plans/${planId}`, formFor(newEmail()), from)).status).toBe(303)
    const refused = await post(`/plans/${planId}?lang=en`, formFor(newEmail()), from)
    expect([refused.status, refused.headers.get('retry-after'), refused.text]).toEqual([
      ...[429, '3600'],
      expect.stringContaining('Try again in an hour.'),
    ])
  }, 30_000)
})
