import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { type PayServer, payServer, type Visit } from '../pay/pay-server.ts'
import { forgetAttempts, onPage, signUp } from './harness.ts'

const anna = { email: 'anna@lamps.example', password: 'correct horse battery' }
const jo = { email: 'jo@lamps.example', password: 'another horse battery' }
const kim = { email: 'kim@vases.example', password: 'a third horse battery' }

let served: PayServer
/** Two browsers: of the owner, and of the person who is invited. */
let hers: Visit
let theirs: Visit
let shopId: string

beforeAll(async () => {
  if (!hasBrowser) return
  served = await payServer({ SIGN_UP: 'open' })
  hers = await served.visit({ viewport: { width: 1280, height: 800 } })
  theirs = await served.visit({ viewport: { width: 1280, height: 800 } })
  shopId = await signUp(served, anna, 'Lamps & Light')
  await signUp(served, kim, 'Vases')
})
afterAll(async () => {
  await hers?.[Symbol.asyncDispose]()
  await theirs?.[Symbol.asyncDispose]()
  await served?.[Symbol.asyncDispose]()
})

/** The owner invites, and passes on the link. */
const invite = async (role: string, email?: string): Promise<string> => {
  const { click, fill, dialog } = onPage(hers.page)
  await click('Invite member')
  if (email !== undefined) await fill('E-mail (optional)', email)
  await hers.page.getByRole('radio', { name: role }).check()
  await dialog('Invite member').getByRole('button', { name: 'Invite member' }).click()
  const link = await hers.page.getByTestId('invite-link').textContent()
  expect(link).toStartWith(`${served.server.api.settings.publicUrl}/dashboard/invite#`)
  await click('Done')
  return `${served.server.url}/dashboard/invite#${link?.split('#')[1]}`
}

/** A fragment alone is no navigation. */
const open = async (link: string) => {
  await theirs.page.goto('about:blank')
  await theirs.page.goto(link)
}

const act = async (email: string, action: string) => {
  await onPage(hers.page).click(`Actions for ${email}`)
  await onPage(hers.page).click(action, 'menuitem')
}

// One shop: each test continues where the one before ended.
describe.skipIf(!hasBrowser)('members', () => {
  test('an owner invites by a link that is shown once, and revokes another', async () => {
    const { page } = hers
    const { heading, click, dialog, toast, expectSound, signIn } = onPage(page)
    await page.goto(`${served.server.url}/dashboard`)
    await signIn(anna)
    await heading('Take your first test payment')
    await click('Members', 'link')
    await heading('Members')
    await page.getByRole('row', { name: /anna@lamps\.example you Owner Password only/ }).waitFor()
    // The last owner can neither leave nor take another role.
    expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0)
    await click('Invite member')
    await onPage(page).fill('E-mail (optional)', 'jo')
    await dialog('Invite member').getByRole('button', { name: 'Invite member' }).click()
    await page.getByText('Enter an e-mail address like name@shop.com, or none.').waitFor()
    await expectSound()
    await click('Cancel')
    const link = await invite('Viewer')
    await page.getByRole('row', { name: /Anyone with the link Viewer/ }).waitFor()
    await expectSound()
    await click('Revoke the invite: Anyone with the link')
    await dialog('Revoke this invite?').getByRole('button', { name: 'Revoke' }).click()
    await toast('Invite revoked')
    await page.getByText('No invite is open.').waitFor()
    await open(link)
    await onPage(theirs.page).heading('You are invited to a shop')
    await theirs.page.getByText('This invite is not valid any more').waitFor()
    expect(await theirs.page.getByLabel('E-mail', { exact: true }).count()).toBe(0)
    await onPage(theirs.page).expectSound()
  })

  test('an invite that is revoked under its open page is refused', async () => {
    const { click, dialog, toast } = onPage(hers.page)
    const { fill, heading } = onPage(theirs.page)
    await open(await invite('Viewer'))
    await heading('You are invited to Lamps & Light')
    await click('Revoke the invite: Anyone with the link')
    await dialog('Revoke this invite?').getByRole('button', { name: 'Revoke' }).click()
    await toast('Invite revoked')
    await fill('E-mail', jo.email)
    await fill('Password', jo.password)
    await onPage(theirs.page).click('Create an account and accept')
    await theirs.page.getByText('This invite is not valid any more').waitFor()
  })

  test('an invited person creates an account and is in the shop', async () => {
    const { page } = theirs
    const { heading, click, fill, toast } = onPage(page)
    const link = await invite('Developer', jo.email)
    await open(link)
    await heading('You are invited to Lamps & Light')
    await page.locator('.facts', { hasText: 'Your role' }).getByText('Developer').waitFor()
    await page.getByText('The invite is for one e-mail address.').waitFor()
    await onPage(page).expectSound()
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await heading('Einladung in den Shop Lamps & Light')
    await page.locator('.facts', { hasText: 'Ihre Rolle' }).getByText('Entwickler').waitFor()
    await page.getByRole('button', { name: 'English' }).click()
    expect(theirs.asked.filter(address => address.includes(link.split('#')[1] ?? ''))).toEqual([])
    await click('Create an account and accept')
    await page.getByText('Enter your e-mail address.').waitFor()
    await fill('E-mail', jo.email)
    await fill('Password', jo.password)
    await click('Create an account and accept')
    await heading(/^(Home|Take your first test payment)$/)
    await toast('You are now a member of Lamps & Light')
    expect(new URL(page.url()).pathname).toBe(`/dashboard/${shopId}/test/home`)
    await click('Members', 'link')
    await page.getByText(`Only owners can make changes here. Owners: ${anna.email}.`).waitFor()
    expect(await page.getByRole('button', { name: 'Invite member' }).count()).toBe(0)
  })

  test('a role that changes while the event stream is interrupted is noticed when it is open again', async () => {
    const { page, context } = theirs
    const { click, dialog } = onPage(page)
    const changeRole = async (role: string) => {
      await hers.page.reload()
      await act(jo.email, 'Change role')
      await hers.page.getByRole('radio', { name: role }).check()
      await onPage(hers.page)
        .dialog(/Change the role/)
        .getByRole('button', { name: 'Change role' })
        .click()
      await onPage(hers.page).toast('Role changed')
    }
    await click('API keys', 'link')
    await click('Create key')
    await dialog('Create key').waitFor()
    await context.setOffline(true)
    await page.getByText('No connection since').waitFor({ timeout: 20_000 })
    await changeRole('Viewer')
    const again = page.waitForResponse(/\/stream\?/, { timeout: 30_000 })
    await context.setOffline(false)
    await again
    await page.getByText('Your role in Lamps & Light is now: Viewer').waitFor({ timeout: 5_000 })
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
    await changeRole('Developer')
    await page.getByText('Your role in Lamps & Light is now: Developer').waitFor({ timeout: 5_000 })
    await click('Dismiss')
  })

  test('a demoted member loses on an open page what the role does not allow, and the page says so', async () => {
    const { page } = theirs
    const { click, dialog, expectSound } = onPage(page)
    await click('API keys', 'link')
    await click('Create key')
    await dialog('Create key').waitFor()
    await hers.page.reload()
    await act(jo.email, 'Change role')
    await hers.page.getByRole('radio', { name: 'Viewer' }).check()
    await onPage(hers.page)
      .dialog(/Change the role/)
      .getByRole('button', { name: 'Change role' })
      .click()
    await onPage(hers.page).toast('Role changed')
    await page.getByText('Your role in Lamps & Light is now: Viewer').waitFor({ timeout: 5_000 })
    await onPage(page).heading('API keys')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
    await page.getByText(`Owners: ${anna.email}`).waitFor()
    await expectSound()
    await click('Dismiss')
    expect(await page.getByText('Your role in Lamps & Light is now').count()).toBe(0)
  })

  test('a removed member loses the open page, sees why, and can sign out', async () => {
    const { page } = theirs
    await act(jo.email, 'Remove')
    await onPage(hers.page).dialog(`Remove ${jo.email}?`).getByRole('button', { name: 'Remove' }).click()
    await onPage(hers.page).toast('Member removed')
    await page.getByText('You are no longer a member of Lamps & Light').waitFor({ timeout: 5_000 })
    await page.getByText('You are not a member of a shop').waitFor()
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0)
    await onPage(page).expectSound()
    await onPage(page).click('Sign out')
    await onPage(page).heading('Sign in')
  })

  test('a person with an account signs in to accept; removed, they are led to their other shop', async () => {
    const { page } = theirs
    const { heading, click, toast, signIn } = onPage(page)
    await forgetAttempts(served)
    await open(await invite('Owner'))
    await click('Sign in to accept')
    await signIn(kim)
    await toast('You are now a member of Lamps & Light')
    await heading(/^(Home|Take your first test payment)$/)
    // The account is a member already.
    await open(await invite('Viewer'))
    await page.getByText(`You are signed in as ${kim.email}.`).waitFor()
    await onPage(page).expectSound()
    await click('Accept the invite')
    await page.getByText('This account cannot use the invite').waitFor()
    await page.goto(`${served.server.url}/dashboard/${shopId}/test/members`)
    await page.getByRole('button', { name: `Actions for ${anna.email}` }).waitFor()
    await hers.page.reload()
    await act(kim.email, 'Remove')
    await onPage(hers.page).dialog(`Remove ${kim.email}?`).getByRole('button', { name: 'Remove' }).click()
    await page.getByText('You are no longer a member of Lamps & Light').waitFor({ timeout: 5_000 })
    await heading('Take your first test payment')
    await page.getByText('Vases').first().waitFor()
  })

  test('a second owner makes the first one free to leave', async () => {
    const { page } = hers
    const { click, dialog, signIn } = onPage(page)
    await forgetAttempts(served)
    const link = await invite('Owner', kim.email)
    await open(link)
    await onPage(theirs.page).click('Accept the invite')
    await onPage(theirs.page).heading(/^(Home|Take your first test payment)$/)
    await page.reload()
    await act(anna.email, 'Leave this shop')
    await dialog('Leave Lamps & Light?').getByRole('button', { name: 'Leave this shop' }).click()
    await page.getByText('You are no longer a member of Lamps & Light').waitFor()
    await click('Sign out')
    await signIn(anna)
    await page.getByText('You are not a member of a shop').waitFor()
  })

  test('runs without a violation of its policy and without an error', () => {
    const expected = /Failed to load resource/
    expect([...hers.complaints, ...theirs.complaints].filter(text => !expected.test(text))).toEqual([])
  })
})
