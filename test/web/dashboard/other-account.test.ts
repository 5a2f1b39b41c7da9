import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Route } from 'playwright-core'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

const kim = { email: 'kim@lamps.example', password: 'a third horse battery' }

let shop: SandboxShop

beforeAll(async () => {
  if (!hasBrowser) return
  shop = await sandboxShop()
  const { token } = await shop.call('POST', `/v1/merchants/${shop.merchant}/invites`, { role: 'viewer' })
  await shop.served.server.call('POST', '/v1/auth/invites/accept', { json: { token, ...kim } })
  await shop.pay()
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

describe.skipIf(!hasBrowser)('another account in the same tab', () => {
  test('sees nothing that the account before it has read, until the server has answered it', async () => {
    const { page, go } = shop
    const { heading, click, signIn } = onPage(page)
    await go('payments')
    const row = page.getByRole('row', { name: /ada@example\.com/ })
    await row.waitFor()
    await click(/^Account/)
    await click('Sign out', 'menuitem')
    await heading('Sign in')
    const held: Route[] = []
    await page.route('**/payments?*', route => void held.push(route))
    await signIn(kim)
    await heading('Payments')
    await page.getByText('Owners: anna@lamps.example').waitFor()
    await until(() => held.length > 0)
    expect(await row.count()).toBe(0)
    // A request that was given up in the meantime is not answered.
    await page.unroute('**/payments?*')
    await Promise.allSettled(held.map(route => route.continue()))
    await row.waitFor()
  })
})
