import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

let shop: SandboxShop

beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop()
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

/** A payment that waits for money, and the secret of its customer. */
const waiting = async () => {
  const { call, served, merchant } = shop
  const link = await call('POST', `/v1/merchants/${merchant}/payment-links`, { amountMinor: 1000, currency: 'USD' })
  const { json } = await served.server.call('POST', `/v1/checkout/links/${link.id}/payments`, {
    json: { customerEmail: 'ada@example.com' },
  })
  return { id: String(Object(json).payment.id), clientSecret: String(Object(json).clientSecret) }
}

const placeOf = async (name: string) => {
  const box = await shop.page.getByRole('heading', { level: 2, name, exact: true }).boundingBox()
  return { x: box?.x ?? Number.NaN, y: box?.y ?? Number.NaN }
}

describe.skipIf(!hasBrowser)('in a narrow window', () => {
  test('what a payment is paid with comes before its history, beside which it is in a wide one', async () => {
    const { page, go } = shop
    await go(`payments/${(await waiting()).id}`)
    await page.getByRole('heading', { name: 'What happened' }).waitFor()
    const [history, paidWith] = [await placeOf('What happened'), await placeOf('Paid with')]
    expect(paidWith.x).toBeGreaterThan(history.x)
    await page.setViewportSize({ width: 360, height: 800 })
    const happened = await placeOf('What happened')
    for (const name of ['Pay from the sandbox wallet', 'Paid with'])
      expect((await placeOf(name)).y).toBeLessThan(happened.y)
    expect((await placeOf('Details')).y).toBeGreaterThan(happened.y)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('the menu of the bottom bar separates pages, account and sign-out', async () => {
    const { page, go } = shop
    await page.setViewportSize({ width: 360, height: 800 })
    await go('home')
    await page.getByRole('button', { name: 'More' }).click()
    const menu = page.locator('[role=menu]:popover-open')
    const kinds = await menu
      .locator('> *')
      .evaluateAll(all => all.map(({ nodeName, textContent }) => textContent || nodeName))
    expect(kinds.filter(each => each === 'HR')).toHaveLength(2)
    expect(kinds[kinds.indexOf('Account') - 1]).toBe('HR')
    expect(kinds[kinds.indexOf('Sign out') - 1]).toBe('HR')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1280, height: 800 })
  })
})

describe.skipIf(!hasBrowser)('a history of more than a hundred entries', () => {
  test('offers the older and the newer ones', async () => {
    const { page, go, served } = shop
    const { click } = onPage(page)
    const { id, clientSecret } = await waiting()
    for (let n = 0; n < 101; n++) {
      const { status } = await served.server.call('POST', `/v1/checkout/payments/${id}/asset`, {
        json: { clientSecret, chainId: 31337, asset: n % 2 === 0 ? 'TUSD' : 'ETH' },
      })
      expect(status).toBe(200)
    }
    await go(`payments/${id}`)
    const entries = page.locator('section[aria-label="What happened"] li')
    await click('Older entries')
    await page.getByText('Checkout opened').waitFor()
    expect(await entries.count()).toBe(2)
    expect(await page.getByRole('button', { name: 'Older entries' }).count()).toBe(0)
    await click('Newer entries')
    await page.getByText('Checkout opened').waitFor({ state: 'detached' })
    expect(await entries.count()).toBe(100)
  })
})

describe.skipIf(!hasBrowser)('a viewer', () => {
  test('learns from the audit log who may read it', async () => {
    const { page, served } = shop
    const { merchantId, owner } = served.shop
    const [row] = await served.server.sql`select id from accounts where email = 'anna@lamps.example'`
    await served.server.sql`
      insert into members (merchant_id, account_id, role) values (${merchantId}, ${String(row?.id)}, 'viewer')`
    served.server.api.sessions.forgetAccount(String(row?.id))
    await page.goto(`${served.server.url}/dashboard/${served.shop.path.split('/').at(-1)}/test/audit-log`)
    await page.getByText(`Only owners can read this. Owners: ${owner.email}.`).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})
