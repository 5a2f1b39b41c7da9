import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { hasBrowser } from '../../harness/browser.ts'
import { png } from '../../http/images.ts'
import { type PayServer, payServer, type Visit } from '../pay/pay-server.ts'
import { forgetAttempts, onPage, signUp } from './harness.ts'

const anna = { email: 'anna@lamps.example', password: 'correct horse battery' }
const wallet = '0x52908400098527886E0F7030069857D2E4169EE7'
const other = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

let served: PayServer
let visit: Visit
let shopId: string

beforeAll(async () => {
  if (!hasBrowser) return
  served = await payServer({ SIGN_UP: 'open' })
  visit = await served.visit({ viewport: { width: 1280, height: 800 }, acceptDownloads: true })
  shopId = await signUp(served, anna, 'Lamps & Light')
})
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]()
  await served?.[Symbol.asyncDispose]()
})

/** A token of another client. */
const signInElsewhere = async (): Promise<string> => {
  await forgetAttempts(served)
  const session = await served.server.call('POST', '/v1/auth/sign-in', { json: anna })
  return String(Object(session.json).accessToken)
}

/** The settings, as another client reads them. */
const settings = async (): Promise<Record<string, unknown>> => {
  const bearer = await signInElsewhere()
  return Object((await served.server.call('GET', `/v1/merchants/${shopId}/settings`, { bearer })).json)
}

const forgetProof = async () => {
  await served.server.sql`update sessions set proven_at = now() - interval '301 seconds'`
  const [row] = await served.server.sql`select id from accounts where email = ${anna.email}`
  served.server.api.sessions.forgetAccount(String(row?.id))
  await served.server.sql`delete from attempts`
}

const confirmIdentity = async () => {
  const dialog = onPage(visit.page).dialog('Confirm that it is you')
  await dialog.getByLabel('Password', { exact: true }).fill(anna.password)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
}

const upload = (label: string, name: string, mimeType: string, content: Uint8Array | string) =>
  visit.page
    .locator(`input[type=file][aria-label="${label}"]`)
    .setInputFiles({ name, mimeType, buffer: Buffer.from(content) })

// One shop: each test continues where the one before ended.
describe.skipIf(!hasBrowser)('settings', () => {
  test('name, color and logo are seen in the preview and saved', async () => {
    const { page } = visit
    const { heading, click, fill, toast, expectSound, signIn } = onPage(page)
    await page.goto(`${served.server.url}/dashboard`)
    await signIn(anna)
    await heading('Take your first test payment')
    await click('Settings', 'link')
    await heading('Settings')
    await fill('Name of the shop', ' ')
    await fill('Color (optional)', '#12')
    await click('Save')
    await page.getByText('Enter a name.').waitFor()
    await page.getByText('Enter # and six hexadecimal digits, or nothing.').waitFor()
    await fill('Name of the shop', 'Lamps & Sons')
    await fill('Color (optional)', '#ffcc00')
    await page.getByText(/The payment page uses #\w{6}, with the same hue\./).waitFor()
    expect(await page.locator('.preview__sheet').first().textContent()).toContain('Lamps & Sons')
    await expectSound()
    await click('Save')
    await toast('Settings saved')
    await page.locator('.side .shop', { hasText: 'Lamps & Sons' }).waitFor()
    await upload('Upload logo', 'logo.txt', 'text/plain', 'lamp')
    await page.getByText('The file is not a PNG, JPEG or WebP image').waitFor()
    await upload('Upload logo', 'logo.png', 'image/png', 'lamp')
    await page.getByText('The file is not a PNG, JPEG or WebP image').waitFor()
    await upload('Upload logo', 'logo.png', 'image/png', png(64, 32))
    await toast('Logo saved')
    await page.getByRole('img', { name: 'Current logo' }).waitFor()
    await expectSound()
    expect(await settings()).toMatchObject({ name: 'Lamps & Sons', branding: { accentColor: '#ffcc00' } })
    await click('Remove logo')
    await toast('Logo removed')
    expect(await settings()).toMatchObject({ branding: { logoUrl: null } })
  })

  test('a receiving address is checked while it is typed, and saved after a proof of identity', async () => {
    const { page } = visit
    const { toast, expectSound } = onPage(page)
    const fill = (label: string, text: string) => page.getByRole('textbox', { name: label }).fill(text)
    const click = async (name: string) => page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('tab', { name: 'Receiving address' }).click()
    await fill('Receiving address', wallet.replace('E', 'e'))
    await page.getByText('This is not an address.').waitFor()
    await fill('Receiving address', wallet.toLowerCase())
    await page.getByText('It is written without a checksum.').waitFor()
    await fill('Receiving address', wallet)
    await page.getByText('The checksum is right: no letter is mistyped.').waitFor()
    await page.getByText(/A wallet, not a contract, on .+\./).waitFor()
    await expectSound()
    await forgetProof()
    // The one of the name may still be there.
    await page.waitForFunction(() => document.querySelector('.toast') === null)
    await click('Save address')
    await confirmIdentity()
    await toast('Settings saved')
    expect(await settings()).toMatchObject({ receivingAddress: wallet })
    await page.getByRole('button', { name: /^Set the address for/ }).click()
    await page.getByRole('dialog').getByRole('textbox').fill(other)
    await page.getByRole('dialog').getByText('The checksum is right').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Save address' }).click()
    await page.getByRole('button', { name: /^Remove the address for/ }).waitFor()
    await page.getByRole('button', { name: /^Remove the address for/ }).click()
    const asked = page.getByRole('dialog', { name: /^Remove the address for/ })
    await asked.getByText('then goes to the receiving address of the shop').waitFor()
    await asked.getByRole('button', { name: 'Cancel' }).click()
    expect(await settings()).toMatchObject({ receivingAddresses: { 31337: other } })
    await expectSound()
  })

  test('the recovery file is downloaded, and a file is tested against the server', async () => {
    const { page } = visit
    const arriving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const file = await readFile(await (await arriving).path(), 'utf8')
    expect(JSON.parse(file)).toMatchObject({ version: 1, secret: expect.stringMatching(/^[0-9a-f]{64}$/) })
    await upload('Test a file', 'recovery.json', 'application/json', file)
    await page.getByText('This file is complete').waitFor()
    await onPage(page).expectSound()
    await upload('Test a file', 'recovery.json', 'application/json', '{"version": 1}')
    await page.getByText('It is not a recovery file.').waitFor()
    const foreign = JSON.stringify({ ...JSON.parse(file), secret: 'ab'.repeat(32) })
    await upload('Test a file', 'recovery.json', 'application/json', foreign)
    await page.getByText('It belongs to another shop').waitFor()
    const old = JSON.stringify({ ...JSON.parse(file), treasuries: JSON.parse(file).treasuries.slice(1) })
    await upload('Test a file', 'recovery.json', 'application/json', old)
    await page.getByText('It is older than your receiving addresses').waitFor()
  })

  test('tolerance, late policy, confirmations and the signer of refunds are saved', async () => {
    const { page } = visit
    const { click, fill, toast, expectSound } = onPage(page)
    await page.getByRole('tab', { name: 'Payments' }).focus()
    await page.getByRole('tab', { name: 'Receiving address' }).press('ArrowRight')
    await fill('Tolerance for underpayment, in percent', '11')
    await click('Save')
    await page.getByText('Enter a number from 0 to 10').waitFor()
    await fill('Tolerance for underpayment, in percent', '1,25')
    await page.getByRole('radio', { name: /^Always decide myself/ }).check()
    await page.getByRole('radio', { name: /^The refund signer/ }).check()
    await page.getByRole('group', { name: 'Confirmations' }).getByRole('textbox').fill('5')
    await expectSound()
    // The one of the address may still be there.
    await page.waitForFunction(() => document.querySelector('.toast') === null)
    await click('Save')
    await toast('Settings saved')
    expect(await settings()).toMatchObject({
      ...{ toleranceBps: 125, latePolicy: 'needs_attention', refundMode: 'signer' },
      confirmations: { 31337: 5 },
    })
    await page.reload()
    expect(await page.getByLabel('Tolerance for underpayment, in percent').inputValue()).toBe('1.25')
  })

  test('saving keeps what another member has changed since the form was opened', async () => {
    const { page } = visit
    const { fill, toast } = onPage(page)
    const change = async (json: object) => {
      const bearer = await signInElsewhere()
      const { status } = await served.server.call('PATCH', `/v1/merchants/${shopId}/settings`, { bearer, json })
      expect(status).toBe(200)
    }
    const save = async () => {
      await page.waitForFunction(() => document.querySelector('.toast') === null)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await toast('Settings saved')
    }
    await page.getByRole('radio', { name: /^Always decide myself/, checked: true }).waitFor()
    await change({ latePolicy: 'accept_stablecoins', confirmations: { 31337: 7 } })
    // The page reads the settings every 15 seconds, and shows them.
    await page.waitForResponse(response => response.url().includes('/settings') && response.ok(), { timeout: 20_000 })
    await fill('Tolerance for underpayment, in percent', '2')
    await save()
    expect(await settings()).toMatchObject({
      ...{ toleranceBps: 200, latePolicy: 'accept_stablecoins', confirmations: { 31337: 7 } },
    })
    await page.getByRole('radio', { name: /^Always decide myself/, checked: false }).waitFor()
    await page.getByRole('tab', { name: 'Shop' }).click()
    await page.getByLabel('Color (optional)', { exact: true }).waitFor()
    await change({ branding: { supportEmail: 'help@lamps.example' } })
    await fill('Color (optional)', '#0b5a70')
    await save()
    const branding = { accentColor: '#0b5a70', supportEmail: 'help@lamps.example' }
    expect(await settings()).toMatchObject({ name: 'Lamps & Sons', branding })
    expect(await page.getByLabel('Support e-mail (optional)', { exact: true }).inputValue()).toBe('help@lamps.example')
  })

  test('the audit log has what was changed, by whom, and can be filtered by action', async () => {
    const { page } = visit
    const { heading, click, expectSound } = onPage(page)
    await click('Audit log', 'link')
    await heading('Audit log')
    await page.getByText('toleranceBps').first().waitFor()
    await page
      .getByRole('row', { name: /Settings changed.*settings\.changed.*anna@lamps\.example/ })
      .first()
      .waitFor()
    await expectSound()
    await click('Show only Identity confirmed', 'link')
    await page.getByRole('button', { name: 'Only Identity confirmed' }).waitFor()
    await page.getByRole('link', { name: 'Show only Settings changed' }).first().waitFor({ state: 'hidden' })
    await click('Only Identity confirmed')
    await page.getByRole('link', { name: 'Show only Settings changed' }).first().waitFor()
  })

  test('a developer changes no receiving address, a viewer nothing, and both find the owners', async () => {
    const { page } = visit
    const setRole = async (role: string) => {
      await served.server.sql`update members set role = ${role} where account_id =
        (select id from accounts where email = ${anna.email})`
      await page.getByText(/^Your role in Lamps & Sons is now/).waitFor({ timeout: 10_000 })
      await page.getByRole('button', { name: 'Dismiss' }).click()
    }
    await page.goto(`${served.server.url}/dashboard/${shopId}/test/settings?part=receiving`)
    await page.getByRole('button', { name: 'Save address' }).waitFor()
    await setRole('developer')
    await page.getByText(/^Only owners can make changes here/).waitFor()
    expect(await page.getByRole('button', { name: /^(Save|Remove|Set|Download)/ }).count()).toBe(0)
    await page.getByRole('tab', { name: 'Payments' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await setRole('viewer')
    await page.getByText(/^Only owners and developers can make changes here/).waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await onPage(page).expectSound()
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
  })

  test('runs without a violation of its policy and without an error', () => {
    const expected = /Failed to load resource/
    expect(visit.complaints.filter(text => !expected.test(text))).toEqual([])
  })
})
