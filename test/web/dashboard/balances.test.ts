import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { addWallets, ProviderError } from '../pay/fake-wallet.ts'
import { axeFaults, faultsOf } from '../pay/gates.ts'
import { accountsOf } from '../pay/pay-server.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'
import { focused, tabToPart } from './tab-walk.ts'

let shop: SandboxShop
beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop()
})
afterAll(() => shop?.[Symbol.asyncDispose]())

const dialog = () => shop.page.getByRole('dialog', { name: /^Collect on/ })
const expectSound = async () => expect([await axeFaults(shop.page), await faultsOf(shop.page)]).toEqual([[], []])

describe.skipIf(!hasBrowser)('balances', () => {
  test('are empty before the first payment, and say what will be here', async () => {
    await shop.go('balances')
    await shop.page.getByRole('heading', { name: 'Nothing waits to be collected' }).waitFor()
    await expectSound()
  })

  test('are collected with a wallet of the browser, which only pays the gas', async () => {
    const { page, served, call, merchant } = shop
    const [, account = ''] = await accountsOf(served)
    const [wallet] = await addWallets(served, shop.visit.context, [{ name: 'Lamp Wallet', account }])
    if (!wallet) throw new Error('There is no wallet')
    const id = await shop.pay()
    const status = async () => (await call('GET', `/v1/merchants/${merchant}/payments/${id}`)).status
    await until(async () => (await status()) === 'success')
    await shop.go('balances')
    await page.getByRole('row', { name: /10\.00 TUSD.*1 payment address/ }).waitFor()
    await expectSound()
    await page.getByRole('button', { name: 'Collect TUSD' }).click()
    const send = dialog().getByRole('button', { name: 'Collect with Lamp Wallet' })
    await send.waitFor()
    await expectSound()
    wallet.answer = ({ method }) => {
      if (method === 'eth_sendTransaction') throw new ProviderError(4001)
    }
    await send.click()
    await dialog().getByText('You rejected the request in the wallet. Nothing was sent.').waitFor()
    wallet.answer = () => undefined
    // The first collection of a network deploys its contract, and then collects.
    while (await dialog().getByText('First the contract is deployed').count()) {
      await send.click()
      await dialog().getByRole('button', { name: 'Prepare the next transaction' }).click()
      await send.waitFor()
    }
    await send.click()
    await dialog().getByText('Sent. The balances change when the transaction is mined.').waitFor()
    expect(wallet.sent.at(-1)).toMatchObject({ from: account, value: '0x0', chainId: '0x7a69' })
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Nothing waits to be collected' }).waitFor({ timeout: 30_000 })
  })

  test('are collected with the keyboard alone', async () => {
    const { page } = shop
    await shop.payAndWait()
    await shop.go('balances')
    await page.getByRole('row', { name: /10\.00 TUSD/ }).waitFor()
    await tabToPart(page, /^Collect TUSD/)
    await page.keyboard.press('Enter')
    await dialog().getByRole('button', { name: 'Collect with Lamp Wallet' }).waitFor()
    await tabToPart(page, 'Collect with Lamp Wallet')
    await page.keyboard.press('Enter')
    await dialog().getByText('Sent. The balances change when the transaction is mined.').waitFor()
    // The button is gone, and the focus is still in the dialog.
    expect(await focused(page)).toMatchObject({ isInDialog: true })
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: 'Nothing waits to be collected' }).waitFor({ timeout: 30_000 })
    // So is the row of the button that has opened the dialog.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
  })
})
