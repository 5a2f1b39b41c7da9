import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../harness/browser.ts'
import {
  cancel,
  comeBack,
  happen,
  password,
  press,
  type RefundsServer,
  refundsServer,
  unfold,
} from './refunds-server.ts'
import { announcing, openWallet } from './wallet.ts'

// Scripts for the page are strings, because the types of this program have no DOM.
const faintTexts = await Bun.file(new URL('./contrast.js', import.meta.url)).text()
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

let instance: RefundsServer
beforeAll(async () => {
  if (hasBrowser) instance = await refundsServer()
})
afterAll(() => instance?.[Symbol.asyncDispose]())

describe.skipIf(!hasBrowser)('the console is empty', () => {
  test('for a visitor who is not signed in and sees the form', async () => {
    await using visit = await instance.open('/refunds', { by: null })
    await visit.go()
    await visit.page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(visit.consoleMessages).toEqual([])
  })

  test('for a member with a session', async () => {
    await using visit = await instance.open('/refunds')
    for (const load of [visit.go, () => visit.page.reload()]) {
      await load()
      await visit.page.getByRole('heading', { name: 'Needs signature' }).waitFor()
    }
    expect(visit.consoleMessages).toEqual([])
  })
})

describe.skipIf(!hasBrowser).each([
  { width: 1200, colorScheme: 'light' },
  { width: 1200, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const)('in a window of %o', ({ width, colorScheme }) => {
  test('everything fits, is readable, and sends requests only to this server', async () => {
    const ids = { signed: await instance.made(), native: await instance.made({ native: true }) }
    const named = await instance.made({ destination: null })
    const stray = await instance.made()
    await cancel(instance, stray)
    await happen(instance, stray, { type: 'stray_transfer_seen', txHash: `0x${'7'.repeat(64)}` })
    await using visit = await instance.open('/refunds', {
      ...{ viewport: { width, height: 800 }, colorScheme, script: announcing },
    })
    const { page } = visit
    await openWallet(instance, visit.context)
    const expectReadable = async (selector: string) => {
      await page.locator(selector).first().waitFor()
      expect(await page.evaluate(overflow)).toBe(0)
      expect(await page.evaluate(faintTexts)).toEqual([])
    }
    await visit.go()
    await expectReadable('.row')
    // No amount has a line break.
    expect(
      await page.evaluate(`Math.max(...[...document.querySelectorAll('.sum')].map(each => each.offsetHeight))`),
    ).toBeLessThan(40)
    await page.click(`a[href="/refunds/${ids.signed}"]`)
    await unfold(page, 'Pay with another wallet')
    await page.locator('.qr').waitFor()
    await unfold(page, 'Report a transaction that was already sent')
    await press(page, 'Report transaction')
    await expectReadable('.fault')
    await page.evaluate(
      `localStorage.setItem('paymachine.refund.${ids.native}', '{"merchantId":"${instance.merchant}","at":"2026-11-20T12:00:00.000Z","hash":null}')`,
    )
    for (const [id, selector] of [
      [ids.native, '.panel.warn'],
      [named, '.hash'],
      [stray, '.attention'],
      ['re_none', 'h1'],
    ]) {
      await page.goto(`${instance.server.url}/refunds/${id}`)
      await expectReadable(selector ?? '')
    }
    await press(page, 'Sign out')
    await expectReadable('#password')
    await press(page, 'Sign in')
    await expectReadable('.fault')
    expect(new Set(visit.requests.map(each => new URL(each).origin))).toEqual(new Set([instance.server.url]))
    expect(visit.consoleMessages.filter(each => !/404/.test(each))).toEqual([])
    for (const id of [...Object.values(ids), named]) await cancel(instance, id)
  })
})

describe.skipIf(!hasBrowser)('by keyboard only', () => {
  test('a refund is opened from the list and paid, and the focus is where the next step is', async () => {
    const id = await instance.made()
    await using visit = await instance.open('/refunds', { script: announcing })
    const { page } = visit
    const wallet = await openWallet(instance, visit.context)
    await visit.go()
    await page.locator(`a[href="/refunds/${id}"]`).waitFor()
    const focused = () =>
      page.evaluate('document.activeElement.getAttribute("href") ?? document.activeElement.textContent')
    const tabTo = async (wanted: string) => {
      for (let n = 0; n < 40; n++) {
        await page.keyboard.press('Tab')
        if ((await focused()) === wanted) return page.keyboard.press('Enter')
      }
      throw new Error(`${wanted} is not reached`)
    }
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('#view')
    await page.keyboard.press('Enter')
    await tabTo(`/refunds/${id}`)
    await page.getByText('Destination address').waitFor()
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    await tabTo('Pay with Lamp Wallet')
    await page.getByText('Processing').first().waitFor()
    expect([wallet.sent.length, await page.evaluate('document.activeElement.tagName')]).toEqual([1, 'H1'])
    expect(await page.locator('#says').textContent()).toBe('Processing.')
    await page.goBack()
    await page.getByRole('heading', { name: 'Processing', level: 2 }).waitFor()
  })
})

describe.skipIf(!hasBrowser)('signing in', () => {
  /** From an address of its own: the limit of tries per minute is per address. */
  let addresses = 0
  const visited = async (path = '/refunds') => {
    const extraHTTPHeaders = { 'x-forwarded-for': `198.51.100.${++addresses}` }
    const visit = await instance.open(path, { by: null, extraHTTPHeaders })
    await visit.go()
    await visit.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    return visit
  }
  const signIn = async (page: Page, email: string, text: string) => {
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(text)
    await page.keyboard.press('Enter')
  }
  const signUp = async (email: string) => {
    const json = { email, password, merchantName: 'Chairs' }
    const answer = await instance.server.call('POST', '/v1/auth/sign-up', { json })
    return (answer.json as { accessToken: string }).accessToken
  }

  test('leads to the requested page; the token is only in memory, and a reload needs no password', async () => {
    const id = await instance.made()
    await using visit = await visited(`/refunds/${id}`)
    const { page } = visit
    await signIn(page, instance.owner.email, 'wrong horse battery')
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    expect(await page.locator('#password').evaluate(input => input.matches(':focus'))).toBe(true)
    await signIn(page, instance.owner.email, password)
    await page.getByText('Destination address').waitFor()
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).toBe('[{},{}]')
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(visit.requests.filter(each => /[?&#].*eyJ/.test(each))).toEqual([])
    await page.reload()
    await page.getByText('Destination address').waitFor()
    await cancel(instance, id)
  })

  test('asks for a code with MFA', async () => {
    const bearer = await signUp('mia@chairs.shop')
    const { json } = await instance.server.call('POST', '/v1/auth/mfa/setup', { bearer })
    const totp = new TOTP({ secret: (json as { secret: string }).secret })
    await instance.server.call('POST', '/v1/auth/mfa/confirm', { bearer, json: { code: totp.generate() } })
    await using visit = await visited()
    const { page } = visit
    await signIn(page, 'mia@chairs.shop', password)
    const code = page.getByLabel('Code of your authenticator app')
    await code.fill('000000')
    await page.keyboard.press('Enter')
    await page.getByText('The code is wrong or has already been used.').waitFor()
    expect(await code.evaluate(input => input.matches(':focus'))).toBe(true)
    // The code that confirmed MFA is used up.
    await code.fill(totp.generate({ timestamp: Date.now() + 30_000 }))
    await page.keyboard.press('Enter')
    await page.getByText('No refund needs a signature.').waitFor()
  })

  test('shows how long to wait after too many tries', async () => {
    await using visit = await visited()
    for (let n = 0; n < 6; n++) {
      const answer = visit.page.waitForResponse(each => each.url().endsWith('/sign-in'))
      await signIn(visit.page, 'nobody@chairs.shop', 'wrong horse battery')
      await answer
    }
    await visit.page.getByText(/Too many attempts. Wait \d+ seconds/).waitFor()
  })

  test('in two windows is one session: signing out in one signs out the other', async () => {
    await using visit = await instance.open('/refunds')
    const second = await visit.context.newPage()
    await Promise.all([visit.go(), second.goto(`${instance.server.url}/refunds`)])
    for (const page of [visit.page, second]) await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await press(visit.page, 'Sign out')
    await visit.page.getByText('You have signed out.').waitFor()
    await comeBack(second)
    await second.getByText('Your session has ended. Sign in again.').waitFor()
    await second.reload()
    await second.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('is not requested while the server is unreachable', async () => {
    await using visit = await instance.open('/refunds')
    await visit.context.route('**/v1/**', route => route.abort())
    await visit.go()
    await visit.page.getByRole('heading', { name: 'This page cannot be loaded' }).waitFor()
    await visit.context.unroute('**/v1/**')
    await press(visit.page, 'Try again')
    await visit.page.getByRole('heading', { name: 'Needs signature', level: 2 }).waitFor()
    await visit.context.route('**/v1/**', route => route.abort())
    await comeBack(visit.page)
    await visit.page.getByText('The server does not respond').waitFor()
  })
})
