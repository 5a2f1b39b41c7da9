import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { type PayServer, payServer, type Visit } from '../pay/pay-server.ts'
import { onPage } from './harness.ts'

const owner = { email: 'anna@lamps.example', password: 'correct horse battery' }

let served: PayServer
let visit: Visit
let page: Page
let see: ReturnType<typeof onPage>

beforeAll(async () => {
  if (!hasBrowser) return
  served = await payServer({ SIGN_UP: 'open' })
  visit = await served.visit({ viewport: { width: 1280, height: 800 } })
  page = visit.page
  see = onPage(page)
})
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]()
  await served?.[Symbol.asyncDispose]()
})

const shopPath = () => new URL(page.url()).pathname.split('/').slice(0, 4).join('/')
const goHome = () => see.click('Home', 'link')
const step = (name: string) => page.getByRole('listitem').filter({ hasText: name })
const isDone = (name: string) => step(`Done: ${name}`).waitFor({ timeout: 20_000 })

// One shop from its sign-up on, by clicks: each test continues where the one before ended.
describe.skipIf(!hasBrowser)('the first hour of an owner', () => {
  test('begins with a sign-up and a list of steps', async () => {
    await page.goto(`${served.server.url}/dashboard/sign-up?lang=en`)
    await see.fill('Name of the shop', 'Lamps & Light')
    await see.fill('E-mail', owner.email)
    await see.fill('Password', owner.password)
    await see.click('Create an account')
    await see.heading('Take your first test payment')
    for (const done of ['Create your account', 'Name the shop']) await isDone(done)
    await see.expectSound()
  })

  test('a link, paid with one click; the steps tick themselves', async () => {
    await see.click('New payment link', 'link')
    await see.fill('Amount', '49.00')
    await see.fill('Title (optional)', 'Paper lantern')
    await see.click('Create link')
    await see.heading(/Payment link over/)
    await goHome()
    await isDone('Create a payment link')
    await see.click('Pay with test money')
    await see.heading(/Payment of €49\.00/)
    await page.locator('.badge', { hasText: 'Paid' }).waitFor({ timeout: 20_000 })
    await goHome()
    await see.heading('Home')
    await isDone('Pay it with test money')
    await page.getByRole('row', { name: /Paid anna@lamps\.example/ }).waitFor()
    await see.expectSound()
  })

  test('the webhook arrives in the inbox on this server, with a valid signature', async () => {
    await see.click('Open an inbox')
    await see.heading('Inbox')
    const request = page.locator('.attempt').filter({ hasText: 'webhook_endpoint.test' })
    await request.getByText('Signature valid').waitFor()
    await request.locator('summary').click()
    expect(await request.getByRole('group', { name: 'Headers' }).textContent()).toMatch(/service-signature: t=\d+,v1=/)
    await see.expectSound()
  })

  test('a test event shows its result where it was sent; every attempt can be read', async () => {
    await see.click('Send test event')
    await page.getByText('The test event arrived.').waitFor({ timeout: 20_000 })
    await see.click('Look at the delivery', 'link')
    await see.heading('Delivery of webhook_endpoint.test')
    await page.locator('.attempt summary').first().click()
    expect(await page.getByRole('group', { name: 'Answer', exact: true }).textContent()).toBe('{"received":true}')
    await see.expectSound()
    await see.click('Send again now')
    await page.locator('.attempt', { hasText: 'Attempt 2' }).getByText('sent manually').waitFor({ timeout: 20_000 })
    await see.click('Deliveries', 'link')
    await page.getByLabel('Status', { exact: true }).selectOption('failed')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    expect(new URL(page.url()).search).toBe('?status=failed')
    await page.getByLabel('Status', { exact: true }).selectOption('delivered')
    await page
      .getByRole('row', { name: /webhook_endpoint\.test Delivered/ })
      .first()
      .waitFor()
    await see.expectSound()
  })

  test('another payment is paid in the sandbox; its events and their deliveries are on its page', async () => {
    const [link] = await served.server.sql`select id from payment_links order by created_at desc limit 1`
    expect(link).toBeDefined()
    await see.click('Payment links', 'link')
    await see.click('Paper lantern', 'link')
    const url = await page.locator('.share code').textContent()
    const opened = await served.server.call('POST', `/v1/checkout/links/${String(url).split('/').at(-1)}/payments`, {
      json: { customerEmail: 'bo@example.com' },
    })
    await page.goto(`${served.server.url}${shopPath()}/payments/${Object(opened.json).payment.id}`)
    await page.getByLabel('What happens').selectOption('underpaid')
    await see.click('Run')
    await page.getByText('1 transaction was sent.').waitFor({ timeout: 30_000 })
    await page.locator('.badge', { hasText: 'Underpaid' }).first().waitFor({ timeout: 20_000 })
    const underpaid = page.getByRole('listitem').filter({ hasText: 'payment.underpaid' })
    await underpaid.locator('.badge', { hasText: 'Delivered' }).waitFor({ timeout: 30_000 })
    await see.expectSound()
    await see.click('payment.underpaid', 'link')
    await see.heading('payment.underpaid')
    await page.getByRole('row', { name: /payment\.underpaid Delivered/ }).waitFor()
    await page.locator('summary', { hasText: 'JSON' }).click()
    expect(JSON.parse(String(await page.getByRole('group', { name: 'JSON' }).textContent()))).toMatchObject({
      type: 'payment.underpaid',
    })
    await see.click('Events', 'link')
    await page.getByLabel('Type', { exact: true }).selectOption('payment.created')
    await page.waitForURL(/type=payment\.created/)
    // The rows of the former filter may still be there, and then none.
    await until(async () => (await page.getByRole('row').count()) === 3)
    await see.expectSound()
  })

  test('a key ticks its step; the second factor is what is left', async () => {
    await goHome()
    await see.click('Create API key', 'link')
    await see.click('Create key')
    await see.fill('Name', 'Shop server')
    await see.dialog('Create key').getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('I have stored it').check()
    await see.click('Done')
    await goHome()
    await isDone('Create an API key')
    await see.click('Open account', 'link')
  })

  test('an endpoint is disabled, gets a new secret with code that verifies, and is deleted', async () => {
    await see.click('Webhooks', 'link')
    await page
      .getByRole('row', { name: /Inbox Enabled/ })
      .getByRole('link')
      .click()
    await see.heading('Inbox')
    const choose = async (name: string) => {
      await see.click(/^Actions for/)
      await see.click(name, 'menuitem')
    }
    await choose('Change event types')
    const types = see.dialog('Change event types')
    await types.getByLabel('dispute.opened').uncheck()
    await types.getByRole('button', { name: 'Change' }).click()
    await see.toast('Event types changed')
    await choose('New signing secret')
    await see.dialog('Create a new signing secret?').getByRole('button', { name: 'New signing secret' }).click()
    expect(await page.getByTestId('secret').textContent()).toMatch(/^whsec_/)
    const secret = see.dialog('Store the signing secret now')
    await secret.getByRole('tab', { name: 'Python' }).click()
    expect(await secret.getByRole('group', { name: 'Verify the signature' }).textContent()).toContain('import hashlib')
    await page.getByLabel('I have stored it').check()
    await see.click('Done')
    await choose('Disable')
    await see.dialog('Disable this endpoint?').getByRole('button', { name: 'Disable' }).click()
    await page.locator('.head').getByText('by a member').waitFor()
    await see.click('Enable')
    await see.toast('Endpoint enabled')
    await choose('Send missed deliveries again')
    await see.dialog('Send missed deliveries again').getByRole('button', { name: 'Recover' }).click()
    await see.toast('0 deliveries are sent again')
    await choose('Delete')
    await see.dialog('Delete this endpoint?').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor()
  })

  test('runs without a violation of its policy and without an error', () => {
    expect(visit.complaints.filter(text => !/Failed to load resource/.test(text))).toEqual([])
  })
})
