import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'
import { focused, tabToPart, walkDialog, walkPage } from './tab-walk.ts'

let shop: SandboxShop

const merchantPath = (...path: readonly string[]) => ['/v1/merchants', shop.merchant, ...path].join('/')

/** A shop with a record of each kind. */
beforeAll(async () => {
  if (!hasBrowser) return
  shop = await sandboxShop()
  const { call, served, bearer } = shop
  const inbox = await call('POST', merchantPath('webhook-endpoints?livemode=false'), {
    inbox: true,
    eventTypes: ['payment.succeeded', 'dispute.opened'],
  })
  await call('POST', merchantPath('webhook-endpoints', inbox.id, 'test'))
  const [paid, other] = [await shop.payAndWait(), await shop.payAndWait()]
  await served.server.call('POST', merchantPath('payments', paid, 'refunds'), {
    ...{ bearer, json: { amountMinor: 400, destination: '0x52908400098527886E0F7030069857D2E4169EE7' } },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  await served.server.call('POST', merchantPath('payments', other, 'disputes'), {
    ...{ bearer, json: { reason: 'product_not_received' } },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  await until(async () => (await call('GET', merchantPath('events?livemode=false'))).data.length > 2)
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

/** The sections in the order of the navigation. */
const sections: readonly (readonly [link: string, heading: string])[] = [
  ['Payments', 'Payments'],
  ['Payment links', 'Payment links'],
  ['Refunds', 'Refunds'],
  ['Disputes', 'Disputes'],
  ['Analytics', 'Analytics'],
  ['Balances', 'Balances'],
  ['Customers', 'Customers'],
  ['Plans', 'Plans'],
  ['Subscriptions', 'Subscriptions'],
  ['API keys', 'API keys'],
  ['Webhooks', 'Webhooks'],
  ['Events', 'Events'],
  ['Settings', 'Settings'],
  ['Members', 'Members'],
  ['Audit log', 'Audit log'],
]

const content = () => shop.page.locator('main [aria-busy=true], main .skeleton').first().waitFor({ state: 'detached' })

describe.skipIf(!hasBrowser)('with the keyboard alone', () => {
  test('every section is opened from the navigation, and everything on it is reached and seen', async () => {
    const { page, go } = shop
    const { heading } = onPage(page)
    await go('home')
    await heading('Home')
    await content()
    await walkPage(page)
    for (const [link, title] of sections) {
      await tabToPart(page, link)
      await page.keyboard.press('Enter')
      await heading(title)
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
      await content()
      await walkPage(page)
    }
  })

  test('so is every tab of the settings, the account, and a page with deliveries', async () => {
    const { page, go } = shop
    const { heading } = onPage(page)
    await go('settings')
    await heading('Settings')
    await content()
    await tabToPart(page, 'Shop')
    for (const tab of ['Receiving address', 'Payments', 'Billing']) {
      await page.keyboard.press('ArrowRight')
      expect((await focused(page))?.name).toBe(tab)
      await walkPage(page)
      // A link of the navigation has the same name.
      await page.getByRole('tab', { name: tab }).focus()
    }
    for (const [path, title] of [
      ['account', 'Account'],
      ['deliveries', 'Deliveries'],
    ] as const) {
      await go(path)
      await heading(title)
      await content()
      await walkPage(page)
    }
  })

  test('lists are walked by j and k, and Enter opens the record', async () => {
    const { page, go } = shop
    const { heading } = onPage(page)
    for (const [path, title] of [
      ['payments', /^Payment of/],
      ['refunds', /^Refund of/],
      ['disputes', /^Dispute/],
      ['customers', 'ada@example.com'],
      ['deliveries', /^Delivery of/],
      ['events', /^(Event|payment\.|dispute\.)/],
    ] as const) {
      await go(path)
      await page.getByRole('row').nth(1).waitFor()
      // The shortcuts are there a moment after the rows.
      await until(async () => {
        await page.keyboard.press('j')
        return (await focused(page)) !== null
      })
      const first = await focused(page)
      expect(first?.isSeen).toBe(true)
      await page.keyboard.press('j')
      await page.keyboard.press('k')
      expect(await focused(page)).toEqual(first)
      await page.keyboard.press('Enter')
      await heading(title)
      await content()
      await walkPage(page)
    }
  })

  test('dialogs keep the focus, close with Escape and give it back', async () => {
    const { page, go } = shop
    const { heading } = onPage(page)
    for (const [path, title, opener] of [
      ['members', 'Members', 'Invite member'],
      ['keys', 'API keys', 'Create key'],
      ['webhooks', 'Webhooks', 'Add endpoint'],
      ['account', 'Account', 'Change password'],
    ] as const) {
      await go(path)
      await heading(title)
      await content()
      await tabToPart(page, opener)
      await page.keyboard.press('Enter')
      await walkDialog(page, opener)
    }
  })

  test('a dialog is closed by Back also when that leads to other filters of the same page', async () => {
    const { page, go } = shop
    const { heading } = onPage(page)
    await go('payments')
    await heading('Payments')
    await page.evaluate(() => history.pushState(null, '', `${location.pathname}?status=canceled`))
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.goBack()
    await dialog.waitFor({ state: 'hidden' })
    expect(new URL(page.url()).search).toBe('')
  })

  test('menus open with Enter, are walked by the arrows, and close with Escape', async () => {
    const { page, go } = shop
    const { heading } = onPage(page)
    await go('webhooks')
    await heading('Webhooks')
    await content()
    const menu = await tabToPart(page, /^Actions for/)
    await page.keyboard.press('Enter')
    expect((await focused(page))?.name).toBe('Send test event')
    await page.keyboard.press('ArrowUp')
    expect((await focused(page))?.name).toBe('Delete')
    await page.keyboard.press('Escape')
    expect((await focused(page))?.name).toBe(menu)
    await page.keyboard.press('Enter')
    await until(async () => (await focused(page))?.name === 'Send test event')
    await page.keyboard.press('ArrowUp')
    await until(async () => (await focused(page))?.name === 'Delete')
    await page.keyboard.press('Enter')
    await walkDialog(page, menu)
  })
})
