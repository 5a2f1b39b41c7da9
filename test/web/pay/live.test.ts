import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { axeFaults, faultsOf } from './gates.ts'
import { focusedOn, tabStops, tabTo } from './keyboard.ts'
import { awaitStatus, beginPayment, type PayServer, payServer, SANDBOX, statusOn } from './pay-server.ts'

let to: PayServer

beforeAll(async () => {
  if (hasBrowser) to = await payServer()
})
afterAll(() => to?.[Symbol.asyncDispose]())

const urlOf = async (more: object = {}) => to.server.url + (await to.link(more))

describe.skipIf(!hasBrowser)('a customer', () => {
  test('pays from an exchange, and the page follows without a reload', async () => {
    await using visit = await to.visit()
    const { page, complaints } = visit
    const id = await beginPayment(page, await urlOf({ successUrl: 'https://shop.example/thanks' }))
    await awaitStatus(page, 'pay')
    let loads = 0
    page.on('load', () => loads++)
    const address = (await page.getByTestId('deposit-address').getAttribute('data-value')) ?? ''
    const due = BigInt((await page.getByTestId('amount-due').getAttribute('data-value')) ?? '')
    expect(due).toBe(10_000_000n)
    await to.sendDollars(address, due)
    await awaitStatus(page, 'seen')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    await awaitStatus(page, 'paid')
    expect(await page.getByTestId('return-to-shop').getAttribute('href')).toBe('https://shop.example/thanks')
    expect(loads).toBe(0)
    expect(await to.stateOf(id)).toBe('success')
    expect(await axeFaults(page)).toEqual([])
    await page.getByTestId('receipt').click()
    await page.getByRole('heading', { name: 'Test receipt' }).waitFor()
    expect(await page.content()).not.toContain('ada@example.com')
    expect(complaints).toEqual([])
  })

  test('goes back to the form after an e-mail that was refused, and keeps the language up to the receipt', async () => {
    await using visit = await to.visit()
    const { page } = visit
    const url = `${await urlOf()}?lang=de`
    await page.goto(url)
    await page.getByTestId('email').fill('ada@')
    await page.getByTestId('continue').click()
    await page.getByRole('alert').or(page.locator('.error')).first().waitFor()
    await page.getByTestId('email').fill('ada@example.com')
    await page.getByTestId('continue').click()
    await page.waitForURL(/\/pay_/)
    const payment = page.url()
    await page.goBack()
    // Not to the form, which would open a second payment.
    await awaitStatus(page, 'pay')
    expect(page.url()).toBe(payment)
    await page.getByTestId('sandbox-pay').click()
    await awaitStatus(page, 'paid')
    await page.getByTestId('receipt').click()
    await page.getByRole('heading', { name: 'Testbeleg' }).waitFor()
  })

  test('who comes back to the link is led to the open payment, and can begin another', async () => {
    await using visit = await to.visit()
    const { page, context } = visit
    const url = await urlOf()
    // Opened before there was a payment: its form must not open a second one either.
    const second = await context.newPage()
    await second.goto(url)
    const id = await beginPayment(page, url)
    await awaitStatus(page, 'pay')
    await second.getByTestId('email').fill('other@example.com')
    await second.getByTestId('continue').click()
    await second.waitForURL(/\/pay_/)
    expect(second.url()).toBe(page.url())
    await second.getByText('This payment is for ada@example.com.').waitFor()
    await second.goto(`${url}?lang=de`)
    expect(second.url()).toBe(`${page.url()}?lang=de`)
    await second.getByTestId('another').click()
    await awaitStatus(second, 'open')
    await second.getByTestId('language').click()
    await awaitStatus(second, 'open')
    const other = await beginPayment(second, second.url())
    expect(other).not.toBe(id)
    expect(new URL(second.url()).search).toBe('?lang=en')
    // Once it is paid, the link is there for the next order.
    await second.getByTestId('sandbox-pay').click()
    await awaitStatus(second, 'paid')
    await second.goto(url)
    await awaitStatus(second, 'open')
  })

  test('is asked for no money once another customer pays a link for one payment', async () => {
    const [first, late] = [await to.visit(), await to.visit()]
    const url = await urlOf({ maxPayments: 1 })
    await beginPayment(late.page, url)
    await awaitStatus(late.page, 'pay')
    await beginPayment(first.page, url)
    await first.page.getByTestId('sandbox-pay').click()
    await awaitStatus(first.page, 'paid')
    // Without a reload.
    await awaitStatus(late.page, 'closed')
    await late.page.getByRole('heading', { name: 'This has already been paid' }).waitFor()
    expect(await late.page.getByText('Send exactly').count()).toBe(0)
    expect(await late.page.getByTestId('deposit-address').count()).toBe(0)
    expect(await axeFaults(late.page)).toEqual([])
    // The one who has paid sees it when they come back.
    await first.page.goto(url)
    await awaitStatus(first.page, 'paid')
    await first.context.close()
    await late.context.close()
  })

  test('pays with the keyboard alone', async () => {
    await using visit = await to.visit()
    const { page } = visit
    await page.goto(await urlOf())
    const form = ['email', 'Add your name', 'asset', 'continue']
    expect(await tabStops(page)).toEqual(['Skip to payment', ...form, 'language'])
    await tabTo(page, 'email')
    await page.keyboard.type('ada@example.com')
    await tabTo(page, 'Add your name')
    await page.keyboard.press('Enter')
    expect(await tabTo(page, 'asset')).toEqual(['name', 'asset'])
    await page.keyboard.press('ArrowDown')
    expect(await page.locator('[data-asset=ETH] input').isChecked()).toBe(true)
    await page.keyboard.press('ArrowUp')
    await tabTo(page, 'continue')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/pay_/)
    await page.getByText('No wallet found').waitFor()

    const parts = ['copy-amount', 'sandbox-pay', 'copy-address', 'qr', 'Continue on your phone', 'change-asset']
    expect(await tabStops(page)).toEqual(['Skip to payment', ...parts, 'another', 'language'])
    await tabTo(page, 'qr')
    await page.keyboard.press('ArrowRight')
    await page.locator('.qr__amount').waitFor()
    await tabTo(page, 'Continue on your phone')
    await page.keyboard.press('Enter')
    await page.getByTestId('phone-qr').waitFor()
    expect(await focusedOn(page)).toEqual({ name: 'Continue on your phone', isSeen: true })
    await tabTo(page, 'change-asset')
    await page.keyboard.press('Space')
    expect(await tabTo(page, 'continue')).toEqual(['asset', 'continue'])
    await tabTo(page, 'sandbox-pay')
    await page.keyboard.press('Enter')
    await awaitStatus(page, 'paid')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    expect(await tabTo(page, 'receipt')).toEqual(['receipt'])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Test receipt' }).waitFor()
    expect(await tabTo(page, 'language')).toEqual([
      'Skip to receipt',
      'Print',
      expect.stringMatching(/^cast/),
      'language',
    ])
  })

  test('pays without JavaScript, with pages that reload by themselves', async () => {
    await using visit = await to.visit({ javaScriptEnabled: false })
    const { page } = visit
    await beginPayment(page, await urlOf())
    // With its stylesheet, without which nothing is painted.
    await page.waitForLoadState()
    expect(await page.locator('meta[http-equiv=refresh]').getAttribute('content')).toStartWith('10; url=/pay/')
    expect(await page.locator('.needs-script:visible').count()).toBe(0)
    await page.getByTestId('sandbox-pay').click()
    await page.waitForURL(/\/pay_[^/]+$/)
    await awaitStatus(page, 'paid')
    await page.getByTestId('receipt').click()
    await page.getByRole('heading', { name: 'Test receipt' }).waitFor()
  })

  test('pays with the sandbox wallet in one click', async () => {
    await using visit = await to.visit()
    const { page, complaints } = visit
    await beginPayment(page, await urlOf())
    await page.getByTestId('sandbox-pay').click()
    await awaitStatus(page, 'paid')
    expect(complaints).toEqual([])
    // A form of the page that was open before does not begin another payment.
    const again = await page.request.post(`${page.url()}/again`, { maxRedirects: 0 })
    expect([again.status(), again.headers().location]).toEqual([303, new URL(page.url()).pathname])
  })

  test('changes the asset, and sends the rest of too little', async () => {
    await using visit = await to.visit()
    const { page } = visit
    const id = await beginPayment(page, await urlOf(), 'ETH')
    expect(await page.getByTestId('amount-due').textContent()).toBe('0.004\u00a0ETH')
    await page.getByTestId('change-asset').click()
    await page.locator('[data-testid=asset][data-asset=TUSD] input').check()
    await page.getByTestId('continue').click()
    await page.waitForURL(/\/pay_[^/]+$/)
    expect(await page.getByTestId('amount-due').textContent()).toBe('10.00\u00a0TUSD')
    await to.simulate(id, 'underpaid')
    await awaitStatus(page, 'underpaid')
    expect(await page.getByTestId('amount-due').textContent()).toBe('5.00\u00a0TUSD')
    const address = (await page.getByTestId('deposit-address').getAttribute('data-value')) ?? ''
    await to.sendDollars(address, 5_000_000n)
    await awaitStatus(page, 'paid')
  })

  test('who types no e-mail address sees why, and keeps what was chosen', async () => {
    for (const javaScriptEnabled of [true, false]) {
      await using visit = await to.visit({ javaScriptEnabled })
      const { page } = visit
      await page.goto(await urlOf())
      await page.getByTestId('email').fill('ada@')
      await page.locator('[data-testid=asset][data-asset=ETH] input').check()
      await page.getByTestId('continue').click()
      await page.getByTestId('error').waitFor()
      expect(await page.title()).toStartWith('TEST · Error: ')
      expect(await page.getByTestId('email').inputValue()).toBe('ada@')
      expect(await page.getByTestId('email').evaluate(field => field.matches(':focus'))).toBe(true)
      expect(await page.locator('[data-testid=asset][data-asset=ETH] input').isChecked()).toBe(true)
    }
  })

  test('sees the same in two tabs and after a reload, and goes back to the form', async () => {
    await using visit = await to.visit()
    const { page, context } = visit
    const link = await urlOf()
    const id = await beginPayment(page, link)
    const other = await context.newPage()
    await other.goto(page.url())
    await page.reload()
    await to.simulate(id, 'paid')
    for (const each of [page, other]) await awaitStatus(each, 'paid')
    await page.goBack()
    await awaitStatus(page, 'open')
    expect(page.url()).toBe(link)
    await page.goForward()
    await awaitStatus(page, 'paid')
  })

  test('continues on a phone by the code, which is there only when it is wanted', async () => {
    await using visit = await to.visit()
    const { page } = visit
    await beginPayment(page, await urlOf())
    expect(await page.getByTestId('phone-qr').count()).toBe(0)
    await page.getByTestId('change-asset').click()
    await page.getByTestId('continue-on-phone').locator('a').click()
    const { readQr } = await import('./qr-picture.ts')
    await page.getByTestId('phone-qr').waitFor()
    // What was open stays open.
    expect(await page.locator('#change').evaluate(fold => (fold as unknown as { open: boolean }).open)).toBe(true)
    const code = new URL(await readQr(page, page.getByTestId('phone-qr')))
    await using phone = await to.visit()
    await phone.page.goto(to.server.url + code.pathname + code.search)
    await awaitStatus(phone.page, 'pay')
    expect(phone.page.url()).toBe(to.server.url + code.pathname)
    expect(code.search).toStartWith('?s=pay_')
    await page.getByTestId('continue-on-phone').locator('a').click()
    await page.getByTestId('phone-qr').waitFor({ state: 'detached' })
  })

  test('starts again after the time is up, with the same e-mail address', async () => {
    await using visit = await to.visit()
    const { page } = visit
    const id = await beginPayment(page, await urlOf())
    await to.server.sql`update payments set expires_at = now() where id = ${await actorOf(id)}`
    await page.reload()
    await awaitStatus(page, 'expired')
    await page.getByTestId('start-again').click()
    await page.waitForURL(url => !url.pathname.endsWith(id))
    await awaitStatus(page, 'pay')
    expect(await page.getByText('This payment is for ada@example.com.').count()).toBe(1)
  })

  test('sees that the time is up without a reload, and without an event', async () => {
    await using visit = await to.visit()
    const { page } = visit
    await page.clock.install()
    await page.route('**/stream', route => route.abort())
    const id = await beginPayment(page, await urlOf())
    const endIn = async (time: string) =>
      to.server.sql`update payments set expires_at = now() + ${time}::interval where id = ${await actorOf(id)}`
    await endIn('5 minutes')
    await page.reload()
    await awaitStatus(page, 'pay')
    await endIn('0')
    await page.evaluate(
      'document.body.dataset.changes = new Date(Date.parse(document.body.dataset.now) + 20000).toISOString()',
    )
    await page.clock.runFor(15_000)
    expect(await statusOn(page)).toBe('pay')
    await page.clock.runFor(10_000)
    await awaitStatus(page, 'expired')
  })

  test('sees that a network is back without a reload', async () => {
    await using visit = await to.visit()
    const { page } = visit
    const { sql } = to.server
    await page.clock.install()
    await sql`update chain_cursors set stopped_at = now() where chain_id = ${SANDBOX}`
    try {
      await page.goto(await urlOf())
      await awaitStatus(page, 'unavailable')
    } finally {
      await sql`update chain_cursors set stopped_at = null where chain_id = ${SANDBOX}`
    }
    await page.clock.runFor(11_000)
    await awaitStatus(page, 'open')
  })

  test('copies exactly what is shown', async () => {
    await using visit = await to.visit({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = visit
    await beginPayment(page, await urlOf())
    const read = () => page.evaluate('navigator.clipboard.readText()')
    await page.getByTestId('copy-amount').click()
    expect(await read()).toBe('10.00')
    await page.getByTestId('copy-address').click()
    expect(await read()).toBe(await page.getByTestId('deposit-address').getAttribute('data-value'))
    await page.getByTestId('copy-address').getByText('Copied').waitFor()
    await page.getByTestId('copy-address').getByText('Copy address').waitFor()
  })

  test.each([1, -1])('whose clock is %p day off has the time that the server gives', async days => {
    await using visit = await to.visit()
    const { page } = visit
    await page.clock.install({ time: Date.now() + days * 86_400_000 })
    await beginPayment(page, await urlOf())
    const left = async () =>
      Number(/^(\d+) min left$/.exec((await page.getByTestId('time-left').textContent()) ?? '')?.[1])
    const before = await left()
    expect([29, 30]).toContain(before)
    await page.clock.runFor(5 * 60_000)
    expect(before - (await left())).toBeWithin(5, 7)
    expect(await statusOn(page)).toBe('pay')
  })

  test.each([
    ['200 characters', 'Brass desk lamp, 2 m of cable '.repeat(7).slice(0, 200)],
    ['one word of 200 characters', 'L'.repeat(200)],
    ['Hebrew, from right to left', 'מנורת שולחן מפליז, אהיל פשתן'],
    ['nothing', null],
  ])('reads a title of %s on a narrow screen, and pays', async (_, title) => {
    await using visit = await to.visit({ viewport: { width: 360, height: 740 } })
    const { page, complaints } = visit
    const link = await urlOf({ title, description: title })
    await page.goto(link)
    expect(await page.locator('.order__item').textContent()).toBe(title ?? 'Payment to Lamps & Light')
    expect(await faultsOf(page)).toEqual([])
    await beginPayment(page, link)
    expect(await faultsOf(page)).toEqual([])
    await page.getByTestId('sandbox-pay').click()
    await awaitStatus(page, 'paid')
    expect(await faultsOf(page)).toEqual([])
    await page.getByTestId('receipt').click()
    await page.getByRole('heading', { name: 'Test receipt' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})

const actorOf = async (id: string): Promise<string> => {
  const { decodeId } = await import('../../../src/ids.ts')
  return decodeId('pay', id) ?? ''
}

test.skipIf(!hasBrowser)('the secret is neither in the page nor in what it asks for', async () => {
  await using visit = await to.visit()
  const { page, context, asked } = visit
  await beginPayment(page, await urlOf())
  await page.getByTestId('continue-on-phone').locator('a').click()
  await page.getByTestId('phone-qr').waitFor()
  const [cookie] = await context.cookies()
  expect(cookie).toMatchObject({
    name: 'paymachine_pay',
    httpOnly: true,
    sameSite: 'Lax',
    path: new URL(page.url()).pathname,
  })
  const secret = cookie?.value ?? ''
  expect(await page.content()).not.toContain(secret)
  expect(asked.filter(each => each.includes(secret))).toEqual([])
  await until(() => asked.some(each => each.endsWith('/stream')))
})
