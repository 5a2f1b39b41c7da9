import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { axeFaults, faultsOf, shiftsWhileLoading } from './gates.ts'
import { focusedOn, tabStops, tabTo } from './keyboard.ts'
import { awaitStatus, type PayServer, payServer } from './pay-server.ts'

let to: PayServer

beforeAll(async () => {
  if (hasBrowser) to = await payServer()
})
afterAll(() => to?.[Symbol.asyncDispose]())

const DAY = 86_400_000

/** As the owner of the shop. */
const ask = async (method: string, path: string, json?: object): Promise<Record<string, unknown>> => {
  const { status, text } = await to.server.call(method, to.shop.path + path, {
    ...{ bearer: to.shop.owner.bearer, ...(json && { json }) },
  })
  expect([path, text, status < 300]).toEqual([path, text, true])
  return Object(JSON.parse(text))
}

const makePlan = async (more: object = {}): Promise<string> => {
  const lines = [{ description: 'A lamp', unitAmountMinor: 1000, taxCategory: 'zero' }]
  const plan = { name: 'Lamp club', currency: 'USD', interval: 'month', lines, ...more }
  return String((await ask('POST', '/plans?livemode=false', plan)).id)
}

/** An e-mail address whose subscriptions have the time of a clock. */
const clockedEmail = async () => {
  const email = `${crypto.randomUUID()}@example.com`
  const { id } = await ask('POST', '/test-clocks', {})
  await ask('POST', '/customers?livemode=false', { email, testClockId: id })
  const advance = async (at: number) => {
    await ask('POST', `/test-clocks/${id}/advance`, { to: new Date(at).toISOString() })
    await until(async () => (await ask('GET', `/test-clocks/${id}`)).status === 'ready')
  }
  return { email, advance }
}

/** The one subscription to a plan, as the shop reads it. */
const subscriptionTo = async (planId: string) => {
  const { data } = await ask('GET', `/subscriptions?livemode=false&planId=${planId}`)
  const [found] = data as readonly {
    readonly status: string
    readonly periodIndex: number
    readonly periodEnd: string
    readonly access: { readonly granted: boolean }
    readonly endReason: string | null
  }[]
  if (!found) throw new Error(`the plan ${planId} has no subscription`)
  return found
}

/** A subscription of a new plan, and the addresses of both pages. */
const subscribed = async (plan: object = {}) => {
  const { url } = to.server
  const planId = await makePlan(plan)
  const { json } = await to.server.call('POST', `/v1/checkout/plans/${planId}/subscriptions`, {
    json: { customerEmail: `${crypto.randomUUID()}@example.com` },
  })
  const { subscription } = json as { readonly subscription: { readonly id: string; readonly url: string } }
  return { id: subscription.id, url: url + new URL(subscription.url).pathname, planUrl: `${url}/plans/${planId}` }
}

const becomes = (page: Page, status: string) =>
  page.locator(`[data-testid=subscription-status][data-status=${status}]`).waitFor({ timeout: 30_000 })

/** From the page of an invoice to the end of the sandbox payment, as a customer with a mouse. */
const payInvoice = async (page: Page) => {
  await page.locator('[data-testid=asset][data-asset=TUSD] input').check()
  await page.getByTestId('pay-invoice').click()
  await page.waitForURL(/\/pay_/)
  await page.getByTestId('sandbox-pay').click()
  await awaitStatus(page, 'paid')
}

describe.skipIf(!hasBrowser)('a customer', () => {
  test('subscribes on the page of a plan, and pays up to the third renewal on the page of the subscription', async () => {
    const planId = await makePlan()
    const { email, advance } = await clockedEmail()
    await using visit = await to.visit()
    const { page, context, complaints } = visit
    await page.goto(`${to.server.url}/plans/${planId}`)
    await awaitStatus(page, 'open')
    await page.getByTestId('email').fill(email)
    await page.getByTestId('subscribe').click()
    await page.waitForURL(/\/subscriptions\/[\w-]{22}$/)
    await becomes(page, 'incomplete')
    let loads = 0
    page.on('load', () => loads++)
    // The page of the subscription stays open, and each invoice is paid in a tab beside it.
    const pay = async () => {
      const link = page.getByTestId('pay-invoice')
      await link.waitFor({ timeout: 30_000 })
      const [tab] = await Promise.all([context.waitForEvent('page'), link.click({ modifiers: ['ControlOrMeta'] })])
      await payInvoice(tab)
      await tab.close()
      await page.getByTestId('pay-invoice').waitFor({ state: 'detached', timeout: 30_000 })
    }
    await pay()
    await becomes(page, 'active')
    const heading = page.getByRole('heading', { level: 1 })
    expect(await heading.textContent()).toBe('Your subscription is active')

    for (const period of [1, 2, 3]) {
      const end = Date.parse((await subscriptionTo(planId)).periodEnd)
      await advance(end - 2 * DAY)
      await page.getByText('To continue afterwards, pay the open invoice before that day.').waitFor()
      await pay()
      await advance(end + DAY)
      expect(await subscriptionTo(planId)).toMatchObject({ status: 'active', periodIndex: period })
    }
    await until(async () => (await page.getByTestId('invoices').locator('li').count()) === 4)
    expect([loads, complaints]).toEqual([0, []])
    expect([...(await faultsOf(page)), ...(await axeFaults(page))]).toEqual([])

    const items = page.getByTestId('invoices').locator('li')
    const numbers = await items.locator('.items__name').allTextContents()
    // They begin anew each year.
    for (const number of numbers) expect(number).toMatch(/^TEST-\w{6}-INV-\d{4}-\d{4}$/)
    expect(new Set(numbers).size).toBe(4)
    expect(numbers).toEqual(numbers.toSorted().toReversed())
    // Of the renewals; the first invoice was made before it was known when its period begins.
    const spans = (await items.allTextContents()).flatMap(text => {
      const [, from, end] = /(\w{3} \d+, \d{4}) to (\w{3} \d+, \d{4})/.exec(text) ?? []
      return from && end ? [[from, end]] : []
    })
    const renewals = spans.slice(0, 3)
    expect(renewals).toHaveLength(3)
    expect(renewals.slice(1).map(([, end]) => end)).toEqual(renewals.slice(0, 2).map(([from]) => from))
    const documents = await page.getByTestId('document').evaluateAll(all => all.map(each => each.getAttribute('href')))
    expect(documents).toHaveLength(4)
    for (const href of documents) {
      const document = await context.request.get(to.server.url + href)
      expect([document.status(), document.headers()['content-type']]).toEqual([200, 'application/pdf'])
      expect((await document.body()).subarray(0, 5).toString()).toBe('%PDF-')
    }
  }, 120_000)

  test('subscribes, pays, cancels, continues and cancels again with the keyboard alone, and it ends at the end of the period', async () => {
    const planId = await makePlan()
    const { email, advance } = await clockedEmail()
    await using visit = await to.visit()
    const { page, complaints } = visit
    const press = async (...names: readonly string[]) => {
      for (const name of names) await tabTo(page, name)
      await page.keyboard.press('Enter')
    }
    await page.goto(`${to.server.url}/plans/${planId}`)
    await tabTo(page, 'email')
    await page.keyboard.type(email)
    await press('subscribe')
    await page.waitForURL(/\/subscriptions\/[\w-]{22}$/)
    const own = page.url()
    await press('pay-invoice')
    await page.waitForURL(/\/invoices\//)
    await press('asset', 'pay-invoice')
    await page.waitForURL(/\/pay_/)
    await press('sandbox-pay')
    await awaitStatus(page, 'paid')
    await page.goto(own)
    await becomes(page, 'active')

    /** Leads on from where the answer to the form is. */
    const cancel = async () => {
      await press('Cancel subscription')
      await press('cancel-subscription')
      await page.getByText('You can use everything until then.').waitFor()
      expect((await focusedOn(page))?.name).toStartWith('It ends on ')
      expect([...(await faultsOf(page)), ...(await axeFaults(page))]).toEqual([])
    }
    await cancel()
    await page.keyboard.press('Tab')
    expect(await focusedOn(page)).toEqual({ name: 'continue-subscription', isSeen: true })
    await page.keyboard.press('Enter')
    await page.getByText('Cancel subscription').waitFor()
    expect((await focusedOn(page))?.name).toBe('Your subscription is active')
    await cancel()
    expect(await subscriptionTo(planId)).toMatchObject({ status: 'active', access: { granted: true } })

    await advance(Date.parse((await subscriptionTo(planId)).periodEnd) + DAY)
    await becomes(page, 'canceled')
    expect((await focusedOn(page))?.name).toBe('Your subscription is canceled')
    expect(await page.locator('dt', { hasText: 'Access' }).locator('+ dd').textContent()).toBe('None')
    expect(await tabStops(page)).not.toContain('Cancel subscription')
    expect(await subscriptionTo(planId)).toMatchObject({
      ...{ status: 'canceled', endReason: 'customer', access: { granted: false } },
    })
    expect(complaints).toEqual([])
  }, 90_000)

  test('sees a message that the subscription has changed meanwhile, and continues from there', async () => {
    const { url, id } = await subscribed({ trialDays: 14 })
    await using visit = await to.visit()
    const { page } = visit
    // The tab is behind.
    await page.route('**/stream', route => route.abort())
    await page.goto(url)
    await becomes(page, 'trialing')
    await ask('POST', `/subscriptions/${id}/cancel`, {})
    await tabTo(page, 'Cancel subscription')
    await page.keyboard.press('Enter')
    await page.unroute('**/stream')
    await tabTo(page, 'cancel-subscription')
    await page.keyboard.press('Enter')
    await page.getByText('This page shows how it is now.').waitFor()
    expect((await focusedOn(page))?.name).toStartWith('Nothing was changed')
    expect([page.url(), await page.getByText('It ends on ').count()]).toEqual([url, 1])
    expect([...(await faultsOf(page)), ...(await axeFaults(page))]).toEqual([])
    await ask('POST', `/subscriptions/${id}/cancel`, { at: 'now' })
    await becomes(page, 'canceled')
    expect((await page.reload())?.status()).toBe(200)
  }, 60_000)

  test('follows the subscription without JavaScript, in German', async () => {
    const planId = await makePlan({ trialDays: 14 })
    await using visit = await to.visit({ javaScriptEnabled: false })
    const { page } = visit
    await page.goto(`${to.server.url}/plans/${planId}?lang=de`)
    await page.getByTestId('email').fill('nicht')
    await page.getByTestId('subscribe').click()
    await page.getByTestId('error').waitFor()
    await page.getByTestId('email').fill(`${crypto.randomUUID()}@example.com`)
    await page.getByTestId('subscribe').click()
    await becomes(page, 'trialing')
    await page.locator('summary', { hasText: 'Abonnement kündigen' }).click()
    await page.getByTestId('cancel-subscription').click()
    await page.getByTestId('continue-subscription').click()
    await page.locator('summary', { hasText: 'Abonnement kündigen' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
  }, 60_000)

  test.each([360, 1280])('sees nothing move while the pages load, %i px wide', async width => {
    const { url, planUrl } = await subscribed()
    for (const address of [planUrl, url]) {
      await using visit = await to.visit({ viewport: { width, height: 800 } })
      expect([address, await shiftsWhileLoading(visit.page, address)]).toEqual([address, 0])
      expect(await faultsOf(visit.page)).toEqual([])
    }
  })

  test('sends the address of the subscription to no other page', async () => {
    const { url } = await subscribed()
    await using visit = await to.visit()
    const referrers: (string | undefined)[] = []
    visit.page.on('request', request => referrers.push(request.headers().referer))
    await visit.page.goto(url)
    await visit.page.getByTestId('pay-invoice').click()
    await visit.page.waitForURL(/\/invoices\//)
    expect(referrers.length).toBeGreaterThan(4)
    expect(referrers.filter(referrer => referrer?.includes('/subscriptions/'))).toEqual([])
  })
})
