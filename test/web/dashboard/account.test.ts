import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { TOTP } from 'otpauth'
import { hasBrowser } from '../../harness/browser.ts'
import { type PayServer, payServer, type Visit } from '../pay/pay-server.ts'
import { readQr } from '../pay/qr-picture.ts'
import { forgetAttempts, onPage, signUp } from './harness.ts'

const anna = { email: 'anna@lamps.example', password: 'correct horse battery' }
const newPassword = 'another horse battery'

let served: PayServer
/** The browsers of a desk and of a phone. */
let desk: Visit
let phone: Visit
let secret: string
let recoveryCodes: readonly string[]

beforeAll(async () => {
  if (!hasBrowser) return
  served = await payServer({ SIGN_UP: 'open' })
  desk = await served.visit({ viewport: { width: 1280, height: 800 }, acceptDownloads: true })
  phone = await served.visit({
    userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Safari/604.1',
  })
  await signUp(served, anna, 'Lamps & Light')
})
afterAll(async () => {
  await desk?.[Symbol.asyncDispose]()
  await phone?.[Symbol.asyncDispose]()
  await served?.[Symbol.asyncDispose]()
})

/** The code of the authenticator app. Each is accepted once: the next one is not waited for. */
const freshCode = async (): Promise<string> => {
  await served.server.sql`update accounts set mfa_last_step = null`
  return new TOTP({ secret }).generate()
}

const codesOnPage = async () => {
  const texts = await desk.page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
  expect(new Set(texts).size).toBe(10)
  return texts
}

// One account: each test continues where the one before ended.
describe.skipIf(!hasBrowser)('the account', () => {
  test('is opened from its menu, and turns on the second factor by QR code or secret', async () => {
    const { page } = desk
    const { heading, click, fill, dialog, expectSound, signIn } = onPage(page)
    await page.goto(`${served.server.url}/dashboard`)
    await signIn(anna)
    await heading('Take your first test payment')
    await click(/^Account/)
    await click('Account', 'menuitem')
    await heading('Account')
    await page.getByRole('row', { name: /Chrome on Linux.*This browser/ }).waitFor()
    await expectSound()
    await click('Set up second factor')
    secret = String(await page.getByTestId('mfa-secret').textContent()).replaceAll(' ', '')
    const url = new URL(await readQr(page, page.getByRole('img', { name: 'QR code for the authenticator app' })))
    expect([url.protocol, url.searchParams.get('secret')]).toEqual(['otpauth:', secret])
    await click('Turn on')
    await page.getByText('Enter the code.').waitFor()
    await fill('Code', '000000')
    await click('Turn on')
    await page.getByText('The code is wrong or was already used.').waitFor()
    await expectSound()
    await fill('Code', await freshCode())
    await click('Turn on')
    await dialog('Store your recovery codes now').waitFor()
  })

  test('shows the recovery codes once, until they are confirmed as stored', async () => {
    const { page } = desk
    const { click, dialog, expectSound } = onPage(page)
    recoveryCodes = await codesOnPage()
    await expectSound()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Done' }).click({ force: true })
    await dialog('Store your recovery codes now').waitFor()
    const arriving = page.waitForEvent('download')
    await click('Download')
    const file = await readFile(await (await arriving).path(), 'utf8')
    expect(recoveryCodes.filter(code => !file.includes(code))).toEqual([])
    await page.getByLabel('I have stored it').check()
    await click('Done')
    await dialog('Store your recovery codes now').waitFor({ state: 'hidden' })
    await page.getByText('Signing in needs your password and a code').waitFor()
    await expectSound()
  })

  test('shows the sessions; one that is ended here loses its page', async () => {
    await forgetAttempts(served)
    await phone.page.goto(`${served.server.url}/dashboard`)
    await onPage(phone.page).signIn(anna)
    await onPage(phone.page).fill('Code', recoveryCodes[0] ?? '')
    await phone.page.keyboard.press('Enter')
    await onPage(phone.page).heading('Take your first test payment')
    const { page } = desk
    await page.reload()
    await onPage(page).click('End the session: Safari on iPhone')
    await onPage(page).toast('Session ended')
    await phone.page.getByRole('dialog', { name: 'Sign in again' }).waitFor({ timeout: 20_000 })
    expect(await page.getByRole('button', { name: 'End the session: Safari on iPhone' }).count()).toBe(0)
  })

  test('replaces the recovery codes', async () => {
    const { page } = desk
    const { click, fill, dialog } = onPage(page)
    await forgetAttempts(served)
    await click('New recovery codes')
    await fill('Code or recovery code', recoveryCodes[1] ?? '')
    await dialog('Create new recovery codes?').getByRole('button', { name: 'New recovery codes' }).click()
    await dialog('Store your recovery codes now').waitFor()
    expect((await codesOnPage()).filter(code => recoveryCodes.includes(code))).toEqual([])
    await page.getByLabel('I have stored it').check()
    await click('Done')
  })

  test('changes the password, and ends all other sessions at once', async () => {
    const { page } = desk
    const { click, fill, dialog, toast, expectSound } = onPage(page)
    await forgetAttempts(served)
    for (let n = 0; n < 2; n++)
      await served.server.call('POST', '/v1/auth/sign-in', { json: { ...anna, code: await freshCode() } })
    await page.reload()
    await click('End all others')
    await dialog('End all other sessions?').getByRole('button', { name: 'End all others' }).click()
    await toast('All other sessions ended')
    await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'hidden' })
    await click('Change password')
    await fill('Current password', 'not this one')
    await fill('New password', newPassword)
    await dialog('Change password').getByRole('button', { name: 'Change password' }).click()
    await dialog('Change password').getByText('is wrong').waitFor()
    await expectSound()
    await fill('Current password', anna.password)
    await dialog('Change password').getByRole('button', { name: 'Change password' }).click()
    await toast('Password changed, other sessions ended')
    await forgetAttempts(served)
    const signIn = async (password: string) =>
      (await served.server.call('POST', '/v1/auth/sign-in', { json: { ...anna, password } })).json
    expect(await signIn(anna.password)).toMatchObject({ error: { code: 'invalid_credentials' } })
    expect(await signIn(newPassword)).toMatchObject({ error: { code: 'mfa_required' } })
  })

  test('Back closes an open dialog, with its page or on it', async () => {
    const { page } = desk
    const { heading, click, dialog } = onPage(page)
    await page.evaluate(() => history.pushState(null, '', '?filtered'))
    await click('Change password')
    await dialog('Change password').waitFor()
    await page.goBack()
    await dialog('Change password').waitFor({ state: 'hidden' })
    await heading('Account')
    await click('API keys', 'link')
    await click('Create key')
    await dialog('Create key').waitFor()
    await page.goBack()
    await heading('Account')
    expect(await page.locator('dialog[open]').count()).toBe(0)
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    // The page under it can be used again.
    await click('Change password')
    await dialog('Change password').waitFor()
    await page.keyboard.press('Escape')
    await dialog('Change password').waitFor({ state: 'hidden' })
  })

  test('turns the second factor off, sets language and theme, by keyboard alone', async () => {
    const { page } = desk
    const { fill, toast } = onPage(page)
    await forgetAttempts(served)
    await page.getByRole('button', { name: 'Turn off' }).focus()
    await page.keyboard.press('Enter')
    await fill('Code or recovery code', await freshCode())
    await page.keyboard.press('Enter')
    await toast('Second factor turned off')
    await page.getByRole('button', { name: 'Set up second factor' }).waitFor()
    await page.getByRole('radio', { name: 'As the system' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
    await page.getByRole('radio', { name: 'English' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('heading', { name: 'Sitzungen' }).waitFor()
    await onPage(page).expectSound()
  })

  test('runs without a violation of its policy and without an error', () => {
    const expected = /Failed to load resource/
    expect([...desk.complaints, ...phone.complaints].filter(text => !expected.test(text))).toEqual([])
  })
})
