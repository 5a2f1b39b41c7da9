import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from '../dashboard/harness.ts'
import { openGasTrial, openTrial } from './trial.ts'

/** An operator who knows the ID of a payment, and nothing else, finds why it is stuck. */
describe.skipIf(!hasBrowser)('the reason of a payment that is stuck, from its ID', () => {
  let trial: Awaited<ReturnType<typeof openTrial>>
  beforeAll(async () => {
    trial = await openTrial()
  }, 120_000)
  afterAll(() => trial?.[Symbol.asyncDispose]())

  const region = (name: string, page = trial.shop.page) => page.getByRole('region', { name, exact: true })
  const hindrance = (text: string | RegExp) => region('What hinders it').getByText(text)
  const here = () => ({ page: trial.shop.page, url: trial.shop.served.server.url })
  const search = async ({ page, url }: { readonly page: Page; readonly url: string }, id: string) => {
    await page.goto(`${url}/ops`)
    await onPage(page).heading('Health')
    await page.keyboard.press('/')
    await page.keyboard.type(id)
    await page.keyboard.press('Enter')
    await onPage(page).heading(id)
  }
  const expectSound = () => onPage(trial.shop.page).expectSound()

  test('an endpoint that was disabled: named on the page of the payment, with the failed delivery in its story', async () => {
    const payment = await trial.disableEndpoint()
    await search(here(), payment)
    await hindrance(/the webhook endpoint was disabled/)
      .first()
      .waitFor()
    await hindrance(`Shop ${trial.shop.merchant} can enable it again`).waitFor()
    await region('Story').getByText('Attempt 1: answered 302').waitFor()
    await expectSound()
    await region('What hinders it').getByRole('link', { name: /^Open/ }).click()
    await onPage(trial.shop.page).heading('Health')
    const row = trial.shop.page.getByRole('table', { name: 'Webhook endpoints' }).getByRole('row').nth(1)
    await row.getByText('Disabled by the server').waitFor()
    await until(async () => ((await row.boundingBox())?.y ?? Number.POSITIVE_INFINITY) < 800)
  })

  test('a refund signer without gas: named on the page of the payment, and of its refund', async () => {
    await using other = await openGasTrial()
    const { page, payment, refund } = other
    await search(other, payment)
    await region('What hinders it', page)
      .getByText(/too little ETH for gas/)
      .waitFor()
    const ofOther = page.getByText(/0x999999…999999 has no gas/)
    expect(await ofOther.count()).toBe(0)
    await region('Related', page).getByRole('link', { name: refund }).click()
    await onPage(page).heading(refund)
    const hindrances = region('What hinders it', page)
    await hindrances
      .getByText(/1 refund waits for signer 0x/)
      .first()
      .waitFor()
    await hindrances.getByText(/too little ETH for gas/).waitFor()
    await onPage(page).expectSound()
    // Nodes that refuse the estimate of gas answer everything else, so the chain has no failure of its own.
    const waits = (seconds: number) => other.sql`
      update signing_waits set reason = 'no_answer', since = now() - ${seconds} * interval '1 s'`
    await waits(30)
    await hindrances.getByText(/too little ETH for gas/).waitFor({ state: 'detached' })
    expect(await hindrances.getByText(/refused to estimate the gas/).count()).toBe(0)
    await waits(70)
    await hindrances.getByText(/refused to estimate the gas/).waitFor()
    await page.goto(`${other.url}/ops`)
    await page
      .locator('.asks > li')
      .filter({ hasText: /refused to estimate the gas/ })
      .getByText(/1 refund waits for signer 0x/)
      .first()
      .waitFor()
    await ofOther.first().waitFor()
    await page.getByRole('cell', { name: '1 without an answer of the chain' }).waitFor()
  }, 120_000)

  test('a node that withholds receipts: named on the page of the payment, until it gives them', async () => {
    const payment = await trial.withholdReceipts()
    await search(here(), payment)
    // The chain counts as late after half a minute without a block.
    await hindrance(/withhold logs or receipts of the next block/).waitFor({ timeout: 60_000 })
    await expectSound()
    trial.giveReceipts()
    const { call, merchant } = trial.shop
    const statusOf = async () => (await call('GET', `/v1/merchants/${merchant}/payments/${payment}`)).status
    await until(async () => (await statusOf()) === 'success', { timeoutMs: 60_000 })
    await hindrance(/withhold/).waitFor({ state: 'detached' })
    expect(await trial.shop.page.getByText('ada@example.com').count()).toBe(0)
  }, 120_000)
})
