import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { baseMainnet } from '../../../src/chain/known/base.ts'
import { polygonMainnet } from '../../../src/chain/known/polygon.ts'
import { hasBrowser } from '../../harness/browser.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

let shop: SandboxShop

beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop('Lamps & Light', { others: [baseMainnet, polygonMainnet] })
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

const newLink = async (title: string, more: object = {}): Promise<string> => {
  const body = { amountMinor: 1000, currency: 'USD', title, ...more }
  return (await shop.call('POST', `/v1/merchants/${shop.merchant}/payment-links?livemode=true`, body)).id
}

describe.skipIf(!hasBrowser)('live payment links', () => {
  test('say that no customer can pay them, until a receiving address is set for one of their networks', async () => {
    const { page, go } = shop
    const { expectSound } = onPage(page)
    const lamp = await newLink('Lamp')
    await newLink('Lantern', { assets: [{ chainId: 137, asset: 'USDC' }] })
    await go('links', 'live')
    await page.getByText('Customers cannot pay 2 of these links yet').waitFor()
    expect(await page.getByText('No receiving address', { exact: true }).count()).toBe(2)
    await expectSound()
    for (const path of [`links/${lamp}`, 'links/new']) {
      await go(path, 'live')
      await page.getByText('Customers cannot pay this link yet').waitFor()
      expect(await page.getByRole('link', { name: 'Set receiving address' }).getAttribute('href')).toBe(
        `/dashboard/${shop.merchant}/live/settings?part=receiving`,
      )
    }
    // Of the two links, this address serves the one that takes all networks.
    await shop.call('PATCH', `/v1/merchants/${shop.merchant}/settings?livemode=true`, {
      receivingAddresses: { 8453: '0x52908400098527886E0F7030069857D2E4169EE7' },
    })
    await go('links', 'live')
    await page.getByText('Customers cannot pay one of these links yet').waitFor()
    await page.getByRole('row', { name: /Lantern.*No receiving address/ }).waitFor()
    await go(`links/${lamp}`, 'live')
    await page.getByRole('heading', { name: 'Share' }).waitFor()
    expect(await page.getByText('cannot pay').count()).toBe(0)
    // Test money needs no address.
    await go('links/new')
    await page.getByRole('button', { name: 'Create link' }).waitFor()
    expect(await page.getByText('cannot pay').count()).toBe(0)
  })

  test('are no longer offered to customers once they are deactivated', async () => {
    const { page, go, call, merchant } = shop
    const id = await newLink('Old lamp')
    await go(`links/${id}`, 'live')
    await page.getByText('Send this address to your customer').waitFor()
    await call('POST', `/v1/merchants/${merchant}/payment-links/${id}/deactivate`)
    await page.reload()
    await page.getByText('It is deactivated. Visitors see that it is closed.').waitFor()
    expect(await page.getByText('Send this address').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'SVG' }).count()).toBe(0)
  })
})
