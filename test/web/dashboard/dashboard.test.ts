import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { decodeId } from '../../../src/ids.ts'
import { hasBrowser } from '../../harness/browser.ts'
import { axeFaults } from '../pay/gates.ts'
import { awaitStatus, beginPayment, type PayServer, payServer, type Visit } from '../pay/pay-server.ts'
import { readPicture, readQr } from '../pay/qr-picture.ts'
import { forgetAttempts, onPage } from './harness.ts'

const owner = { email: 'anna@lamps.example', password: 'correct horse battery' }

let served: PayServer
let visit: Visit
let page: Page

beforeAll(async () => {
  if (!hasBrowser) return
  served = await payServer({ SIGN_UP: 'open' })
  visit = await served.visit({ viewport: { width: 1280, height: 800 } })
  page = visit.page
})
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]()
  await served?.[Symbol.asyncDispose]()
})

const { heading, click, fill, dialog, toast, expectSound, signIn } = onPage(() => page)

/** The same account in another client. */
const call = async (method: string, path: string, json?: object): Promise<unknown> => {
  const session = await served.server.call('POST', '/v1/auth/sign-in', { json: owner })
  const bearer = String(Object(session.json).accessToken)
  return (await served.server.call(method, path, { bearer, ...(json && { json }) })).json
}

const shopPath = () => new URL(page.url()).pathname.split('/').slice(0, 4).join('/')

// One shop from its first minute on: each test continues where the one before ended.
describe.skipIf(!hasBrowser)('the dashboard', () => {
  test('leads from the first page to a sign-up, and from there into an empty shop in test mode', async () => {
    await page.goto(`${served.server.url}/?lang=en`)
    await click('Sign in', 'link')
    await heading('Sign in')
    await expectSound()
    await click('Create an account', 'link')
    await heading('Create an account')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await click('Create an account')
    await page.getByText('Use at least 10 characters.').waitFor()
    await expectSound()
    await fill('Name of the shop', 'Lamps & Light')
    await fill('E-mail', owner.email)
    await fill('Password', owner.password)
    await click('Create an account')
    await heading('Take your first test payment')
    expect(await page.title()).toBe('TEST · Take your first test payment – Lamps & Light')
    expect(new URL(page.url()).pathname).toMatch(/^\/dashboard\/mer_\w+\/test\/home$/)
    await click('Payments', 'link')
    await heading('Payments')
    await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
    expect(await page.title()).toBe('TEST · Payments – Lamps & Light')
    await expectSound()
  })

  test('creates a payment link, which a customer pays; the payment is seen without a reload', async () => {
    await click('New payment link', 'link')
    await heading('New payment link')
    await click('Create link')
    await page.getByText('Enter an amount like 49.00, more than zero.').waitFor()
    await expectSound()
    await fill('Amount', '49,00')
    await fill('Title (optional)', 'Paper lantern')
    await page.getByRole('listitem').filter({ hasText: 'TUSD' }).waitFor()
    await fill('Reference (optional)', 'LL-1')
    await click('Create link')
    await heading(/Payment link over €49\.00/)
    await expectSound()
    const url = await page.locator('.share code').textContent()
    const paid = await visit.context.newPage()
    const id = await beginPayment(paid, served.server.url + new URL(String(url)).pathname)
    await page.goto(`${served.server.url}${shopPath()}/payments`)
    await page.getByRole('row', { name: /Waiting/ }).waitFor()
    await paid.getByTestId('sandbox-pay').click()
    await awaitStatus(paid, 'paid')
    await paid.close()
    await page.getByRole('row', { name: /Paid ada@example.com/ }).waitFor({ timeout: 20_000 })
    // Another customer: the new payment is offered, and does not push the row.
    await served.server.call('POST', `/v1/checkout/links/${String(url).split('/').at(-1)}/payments`, {
      json: { customerEmail: 'cy@example.com' },
    })
    await page.getByRole('button', { name: '1 new payment – show' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await expectSound()
    await page.keyboard.press('.')
    await page.getByRole('row', { name: /cy@example.com/ }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('ada@exam')
    await page.waitForURL(/[?]q=ada/)
    await click('ada@example.com', 'link')
    await heading(/Payment of €49\.00/)
    expect(
      await page.getByRole('list', { name: 'State of the payment' }).locator('[aria-current]').textContent(),
    ).toContain('Paid')
    expect(await page.getByRole('table', { name: 'Transfers' }).getByRole('row').count()).toBe(2)
    await page.getByRole('listitem').filter({ hasText: 'Checkout opened' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'The amount is final' }).waitFor()
    await page.locator('summary').click()
    expect(JSON.parse(String(await page.locator('pre').textContent()))).toMatchObject({ id, status: 'success' })
    await expectSound()
  })

  test('opens pages and records by the keyboard', async () => {
    await page.goto(`${served.server.url}${shopPath()}/payments`)
    await page.getByRole('row', { name: /ada@example.com/ }).waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())
    await page.keyboard.press('j')
    expect(await focused()).toBe('cy@example.com')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await focused()).toBe('ada@example.com')
    await page.keyboard.press('k')
    expect(await focused()).toBe('cy@example.com')
    await page.keyboard.press('/')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe('cy@example.com')
    await page.keyboard.press('/')
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    expect(await focused()).toBe('cy@example.com')
    await page.keyboard.press('Control+k')
    const search = page.getByRole('combobox', { name: 'Search and commands' })
    await search.fill('LL-1')
    await page.getByRole('option', { name: /€49\.00 ada@example\.com, LL-1/ }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await focused()).toBe('cy@example.com')
    await page.keyboard.press('Control+k')
    await search.fill('LL-1')
    await page.getByRole('option', { name: /LL-1/ }).first().waitFor()
    // What the text before has found is not opened.
    await search.fill('api k')
    await page.keyboard.press('Enter')
    await heading('API keys')
    await page.keyboard.press('?')
    await dialog('Keyboard shortcuts').waitFor()
    await expectSound()
    await page.getByLabel(/Shortcuts of a single key/).uncheck()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.keyboard.press('Control+k')
    await search.waitFor()
    expect(await page.getByRole('dialog').count()).toBe(1)
    await page.keyboard.press('Escape')
    await click('Keyboard shortcuts')
    await page.getByLabel(/Shortcuts of a single key/).check()
    await page.keyboard.press('Escape')
  })

  test('refuses a second link with the same reference and names the first; deactivates a link', async () => {
    await page.goto(`${served.server.url}${shopPath()}/links/new`)
    await fill('Amount', '5')
    await fill('Reference (optional)', 'LL-1')
    await click('Create link')
    await page.getByText('LL-1 is used by another link. Choose another reference.').waitFor()
    await click('Open that link', 'link')
    await heading(/Payment link over €49\.00/)
    const url = await page.locator('.share code').textContent()
    for (const [name, type] of [
      ['SVG', 'image/svg+xml'],
      ['PNG', 'image/png'],
    ] as const) {
      const [file] = await Promise.all([page.waitForEvent('download'), click(name)])
      expect(file.suggestedFilename()).toBe(`LL-1.${name.toLowerCase()}`)
      expect(await readPicture(page, await readFile(await file.path()), type)).toBe(String(url))
    }
    expect(await readQr(page, page.locator('.share .qr'))).toBe(String(url))
    await click('Deactivate')
    await dialog('Deactivate this link?').getByRole('button', { name: 'Deactivate' }).click()
    await toast('Payment link deactivated')
    // The button that opened the dialog is gone, as soon as the link was read again.
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
    await click('Payment links', 'link')
    await page.getByRole('row', { name: /Deactivated.*Paper lantern/ }).waitFor()
    await expectSound()
  })

  test('says that a payment was ended in the meantime, when it cannot be canceled any more', async () => {
    const merchantId = shopPath().split('/')[2] ?? ''
    const link = Object(
      await call('POST', `/v1/merchants/${merchantId}/payment-links`, { amountMinor: 700, currency: 'EUR' }),
    )
    const { json } = await served.server.call('POST', `/v1/checkout/links/${link.id}/payments`, {
      json: { customerEmail: 'bo@example.com' },
    })
    const { id } = Object(json).payment
    await page.goto(`${served.server.url}${shopPath()}/payments/${id}`)
    await click('Cancel payment')
    await call('POST', `/v1/merchants/${merchantId}/payments/${id}/cancel`)
    await page.locator('.badge', { hasText: 'Canceled' }).waitFor()
    await dialog('Cancel this payment?').getByRole('button', { name: 'Cancel payment' }).click()
    await dialog('Cancel this payment?').getByText('so it cannot be canceled').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('button', { name: 'Cancel payment' }).count()).toBe(0)
  })

  test('asks for the password again before it creates a key, and shows the secret once', async () => {
    await click('API keys', 'link')
    await heading('API keys')
    await expectSound()
    await served.server.sql`update sessions set proven_at = now() - interval '301 seconds'`
    const [row] = await served.server.sql`select id from accounts where email = ${owner.email}`
    served.server.api.sessions.forgetAccount(String(row?.id))
    await click('Create key')
    await fill('Name', 'Shop server')
    await dialog('Create key').getByRole('button', { name: 'Create key' }).click()
    await dialog('Confirm that it is you').getByLabel('Password', { exact: true }).fill(owner.password)
    expect(await axeFaults(page)).toEqual([])
    await dialog('Confirm that it is you').getByRole('button', { name: 'Confirm' }).click()
    const secret = await page.getByTestId('secret').textContent()
    await page.keyboard.press('Escape')
    await page.getByLabel('I have stored it').check()
    await click('Done')
    await page.getByRole('row', { name: /Shop server.*Store plugin/ }).waitFor()
    const bearer = String(secret)
    expect((await served.server.call('GET', '/v1/payments', { bearer })).status).toBe(200)
    await click('Actions for Shop server')
    await click('Revoke', 'menuitem')
    await dialog('Revoke “Shop server”?').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('row', { name: /Revoked/ }).waitFor()
    expect((await served.server.call('GET', '/v1/payments', { bearer })).status).toBe(401)
  })

  test('adds a webhook endpoint and shows its signing secret once', async () => {
    await click('Webhooks', 'link')
    await heading('Webhooks')
    await click('Add endpoint')
    await fill('URL', 'http://10.0.0.1/hooks')
    const add = dialog('Add endpoint').getByRole('button', { name: 'Add endpoint' })
    await add.click()
    await page.getByText('Events are sent to public addresses only').waitFor()
    await fill('URL', 'https://shop.example/hooks')
    expect(await axeFaults(page)).toEqual([])
    await add.click()
    expect(await page.getByTestId('secret').evaluate(secret => secret.closest('dialog')?.scrollTop)).toBe(0)
    expect(await page.getByTestId('secret').textContent()).toMatch(/^whsec_/)
    await page.getByLabel('I have stored it').check()
    await click('Done')
    await page.getByRole('row', { name: /shop\.example\/hooks.*Enabled.*3 types/ }).waitFor()
    await expectSound()
  })

  test('keeps the theme and the language, and live mode apart from test mode', async () => {
    await click(/^Account/)
    await click('Dark theme', 'menuitem')
    await click(/^Account/)
    await click('Auf Deutsch', 'menuitem')
    await page.getByRole('link', { name: 'Live' }).click()
    await page.getByRole('heading', { name: 'Noch keine Endpunkte' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Noch keine Endpunkte' }).waitFor()
    expect(await page.evaluate(() => [document.documentElement.dataset.theme, document.body.dataset.mode])).toEqual([
      'dark',
      'live',
    ])
    expect(await page.title()).toBe('Webhooks – Lamps & Light')
    await expectSound()
    await click(/^Konto/)
    await click('In English', 'menuitem')
  })

  test('says that the server cannot be reached, keeps what it shows, and goes on', async () => {
    await visit.context.setOffline(true)
    await page.getByText('No connection since').waitFor({ timeout: 20_000 })
    await heading('Webhooks')
    await visit.context.setOffline(false)
    await page.getByText('No connection since').waitFor({ state: 'hidden', timeout: 30_000 })
  })

  test('signs out; asks for the second factor; a session that ends is renewed over the page', async () => {
    await forgetAttempts(served)
    const { secret } = Object(await call('POST', '/v1/auth/mfa/setup'))
    const code = new TOTP({ secret }).generate()
    const { recoveryCodes } = Object(await call('POST', '/v1/auth/mfa/confirm', { code }))
    await forgetAttempts(served)
    await click(/^Account/)
    await click('Sign out', 'menuitem')
    await heading('Sign in')
    await fill('E-mail', owner.email)
    await fill('Password', 'wrong horse battery')
    await click('Sign in')
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    await signIn(owner, recoveryCodes[0])
    await heading('Webhooks')
    await click('Payments', 'link')
    await heading('Payments')
    await page.getByLabel('Search payments').fill('LL')
    // Another client ends all sessions.
    await served.server.sql`delete from sessions`
    const [row] = await served.server.sql`select id from accounts where email = ${owner.email}`
    served.server.api.sessions.forgetAccount(String(row?.id))
    await dialog('Sign in again').waitFor({ timeout: 20_000 })
    expect(await axeFaults(page)).toEqual([])
    await dialog('Sign in again').getByLabel('Password', { exact: true }).fill(owner.password)
    await page.keyboard.press('Enter')
    await dialog('Sign in again').getByLabel('Code', { exact: true }).fill(recoveryCodes[1])
    await page.keyboard.press('Enter')
    await dialog('Sign in again').waitFor({ state: 'hidden' })
    expect(await page.getByLabel('Search payments').inputValue()).toBe('LL')
  })

  test('shows viewers no actions, and the owners whom they can ask', async () => {
    const { merchantId } = served.shop
    const [row] = await served.server.sql`select id from accounts where email = ${owner.email}`
    await served.server.sql`
      insert into members (merchant_id, account_id, role) values (${merchantId}, ${String(row?.id)}, 'viewer')`
    served.server.api.sessions.forgetAccount(String(row?.id))
    await page.goto(`${served.server.url}/dashboard`)
    await click(/^Change shop/)
    await page.getByRole('menuitem').nth(1).click()
    await page.getByText(`Owners: ${served.shop.owner.email}`).waitFor()
    expect(decodeId('mer', new URL(page.url()).pathname.split('/')[2] ?? '')).toBe(merchantId)
    expect(await page.getByRole('link', { name: 'New payment link' }).count()).toBe(0)
  })

  test('runs without a violation of its policy and without an error', () => {
    const expected = /Failed to load resource/
    expect(visit.complaints.filter(text => !expected.test(text))).toEqual([])
  })
})
