import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { axeFaults } from './gates.ts'
import { awaitStatus, beginPayment, type PayServer, payServer, statusOn } from './pay-server.ts'

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
    expect(await page.getByText('ada@example.com').count()).toBe(1)
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

  test('whose clock is a day off has the time that the server gives', async () => {
    await using visit = await to.visit()
    const { page } = visit
    await page.clock.install({ time: Date.now() + 86_400_000 })
    await beginPayment(page, await urlOf())
    const left = (await page.getByTestId('time-left').textContent()) ?? ''
    expect(left.trim()).toMatch(/^(30|29) min left$/)
    expect(await statusOn(page)).toBe('pay')
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
