import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { claimRoutes } from '../../src/http/refund-claims.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { hasBrowser, openBrowser } from '../harness/browser.ts'
import { until } from '../harness/until.ts'
import { expire, refundRow, secretOf, send } from '../http/claims.ts'
import { type Shop, shop } from '../http/people.ts'
import { makeRefund, somebody } from '../http/refunds.ts'

// What a page runs is told as texts: the program itself knows no page.
const faintTexts = await Bun.file(new URL('./contrast.js', import.meta.url)).text()
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

let to: ApiServer
let browser: Browser
let lamps: Shop

beforeAll(async () => {
  if (!hasBrowser) return
  to = await apiServer({ routes: [...refundRoutes, ...claimRoutes], env: { CHECKOUT_RATE_LIMIT: '0' } })
  browser = await openBrowser()
  lamps = await shop(to.api, 'Lamps and every other light there is '.repeat(4))
})
afterAll(async () => {
  await browser?.close()
  await to?.[Symbol.asyncDispose]()
})

const claimed = async () => {
  const id = await makeRefund(to.api, { merchantId: lamps.merchantId, livemode: false })
  const { json } = await to.call('GET', `${lamps.path}/refunds/${id}`, { bearer: lamps.owner.bearer })
  return { id, secret: secretOf((json as { claimUrl: string }).claimUrl) }
}

const open = async (secret: string, options: BrowserContextOptions = {}, script = '') => {
  const context = await browser.newContext(options)
  await context.addInitScript(script)
  const page = await context.newPage()
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', request => asked.push(`${request.method()} ${new URL(request.url()).origin}`))
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto(`${to.url}/claims/${secret}`)
  const close = () => context.close()
  return { page, asked, complaints, [Symbol.asyncDispose]: close }
}

const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

const named = async (id: string) => (await refundRow(to.api, id))?.destination

describe.skipIf(!hasBrowser).each([
  { width: 1200, colorScheme: 'light' },
  { width: 1200, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const)('in a window of %o', ({ width, colorScheme }) => {
  const options = { viewport: { width, height: 800 }, colorScheme }
  const expectReadable = async (page: Page) => {
    expect(await page.evaluate(overflow)).toBe(0)
    expect(await page.evaluate(faintTexts)).toEqual([])
  }

  test('every page fits, is easy to read, and asks nobody else', async () => {
    const { secret } = await claimed()
    await using visit = await open(secret, options, announcing(['Lamp Wallet', 'W'.repeat(60)]))
    const { page } = visit
    await expectReadable(page)
    await page.fill('#address', '0x12')
    await press(page, 'Continue')
    await page.waitForSelector('[role=alert]')
    await expectReadable(page)
    await page.fill('#address', somebody)
    await press(page, 'Continue')
    await page.waitForSelector('#named')
    await expectReadable(page)
    await press(page, 'Confirm address')
    await page.waitForSelector('text=Thank you')
    await expectReadable(page)
    const over = await claimed()
    await expire(to.api, over.id)
    for (const each of [secret, over.secret, 'none']) {
      await page.goto(`${to.url}/claims/${each}`)
      await expectReadable(page)
    }
    expect(new Set(visit.asked)).toEqual(new Set([`GET ${to.url}`, `POST ${to.url}`]))
    expect(visit.complaints.filter(each => !/4(04|10|22)/.test(each))).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('without a script and without a mouse', () => {
  test('the address is typed, looked at and confirmed by keyboard, and everything has its name', async () => {
    const { id, secret } = await claimed()
    await using visit = await open(secret, { javaScriptEnabled: false })
    const { page } = visit
    expect(await page.locator('button:visible').allTextContents()).toEqual(['Continue'])
    const field = page.getByRole('textbox', { name: 'Your address on Chain 31337' })
    await page.keyboard.press('Tab')
    expect(await field.evaluate(input => input.matches(':focus'))).toBe(true)
    await page.keyboard.type('0x12')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await page.title()).toStartWith('Error: ')
    // The cursor is where the mistake is, and that is said with it.
    expect(await field.evaluate(input => input.matches(':focus'))).toBe(true)
    expect(await field.getAttribute('aria-describedby')).toContain('fault')
    await field.selectText()
    await page.keyboard.type(somebody.toLowerCase())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Is this your address?' }).waitFor()
    // What is selected and copied is the address, whatever the eye sees between its parts.
    expect(
      await page.evaluate(
        '(getSelection().selectAllChildren(document.querySelector("#named code")), String(getSelection()))',
      ),
    ).toBe(somebody)
    expect(await named(id)).toBeNull()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    expect(await named(id)).toBe(somebody)
  })

  test('who sees that it is wrong goes back and takes another', async () => {
    const { id, secret } = await claimed()
    await using visit = await open(secret, { javaScriptEnabled: false })
    const { page } = visit
    await page.fill('#address', somebody)
    await press(page, 'Continue')
    await page.click('text=Use another address')
    await page.waitForSelector('#address')
    expect([await page.inputValue('#address'), await named(id)]).toEqual(['', null])
  })
})

/** Wallets that announce themselves; what is asked of them is answered by `askWallet`, of this test. */
const announcing = (names: readonly string[]): string => `
  for (const name of ${JSON.stringify(names)}) {
    const detail = { info: { uuid: name, name }, provider: { request: asked => window.askWallet(asked) } }
    const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    addEventListener('eip6963:requestProvider', announce)
  }`
const standing = 'window.ethereum = { request: asked => window.askWallet(asked) }'

type Asked = { readonly method: string; readonly params?: readonly [`0x${string}`, string] }

describe.skipIf(!hasBrowser)('with a wallet in the browser', () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const rejected = () => Promise.reject(new Error('the user said no'))
  const owner = ({ method, params }: Asked): Promise<unknown> => {
    if (method === 'eth_requestAccounts') return Promise.resolve([account.address])
    return account.signMessage({ message: { raw: params?.[0] ?? '0x' } })
  }

  const openWith = async (script: string, wallet: (asked: Asked) => Promise<unknown>) => {
    const claim = await claimed()
    const visit = await open('none', {}, script)
    await visit.page.exposeFunction('askWallet', wallet)
    await visit.page.goto(`${to.url}/claims/${claim.secret}`)
    return { ...claim, ...visit, says: () => visit.page.textContent('#wallet-says') }
  }

  test.each([
    ['announces itself', announcing(['Other', 'Lamp Wallet']), 'Lamp Wallet'],
    ['stands where they used to', standing, 'Browser wallet'],
  ])('that %s, the address is filled in, signed for and proven', async (_, script, name) => {
    await using visit = await openWith(script, owner)
    const { page, id } = visit
    await page.getByRole('button', { name }).click()
    await page.waitForSelector('text=Your wallet has confirmed that this address is yours.')
    await press(page, 'Confirm address')
    await page.waitForSelector('text=Thank you')
    expect(await refundRow(to.api, id)).toMatchObject({ destination: account.address, proofs: 1 })
  })

  test('that is asked and gives nothing, one types the address', async () => {
    await using visit = await openWith(announcing(['Lamp Wallet']), rejected)
    const { page, id } = visit
    await press(page, 'Lamp Wallet')
    await until(async () => (await visit.says())?.includes('did not return an address'))
    await page.fill('#address', somebody)
    await press(page, 'Continue')
    await press(page, 'Confirm address')
    await page.waitForSelector('text=Thank you')
    expect(await refundRow(to.api, id)).toMatchObject({ destination: somebody, proofs: 0 })
  })

  test('that does not sign, its address is taken all the same', async () => {
    await using visit = await openWith(announcing(['Lamp Wallet']), asked =>
      asked.method === 'personal_sign' ? rejected() : owner(asked),
    )
    const { page, id } = visit
    await press(page, 'Lamp Wallet')
    await until(async () => (await visit.says())?.includes('A signature is optional'))
    await press(page, 'Continue')
    await press(page, 'Confirm address')
    await page.waitForSelector('text=Thank you')
    expect(await refundRow(to.api, id)).toMatchObject({ destination: account.address, proofs: 0 })
  })

  test('that signs with another key, the page says so, and the next try needs no wallet', async () => {
    const stranger = privateKeyToAccount(generatePrivateKey())
    await using visit = await openWith(announcing(['Lamp Wallet']), asked =>
      asked.method === 'personal_sign' ? stranger.signMessage({ message: 'something else' }) : owner(asked),
    )
    const { page, id } = visit
    await press(page, 'Lamp Wallet')
    await page.waitForSelector('text=invalid_signature')
    expect(await page.inputValue('#address')).toBe(account.address.toLowerCase())
    await press(page, 'Continue')
    await press(page, 'Confirm address')
    await page.waitForSelector('text=Thank you')
    expect(await refundRow(to.api, id)).toMatchObject({ destination: account.address, proofs: 0 })
  })

  test('an address that is typed over a signed one is not sent with its signature', async () => {
    await using visit = await openWith(standing, owner)
    const { page } = visit
    await page.evaluate("document.querySelector('form').requestSubmit = () => {}")
    await page.getByRole('button', { name: 'Browser wallet' }).click()
    await until(async () => (await visit.says()) === 'Signed.')
    await page.fill('#address', somebody)
    expect(await page.inputValue('#signature')).toBe('')
  })

  test('a name that is markup is a name', async () => {
    await using visit = await openWith(announcing(['<img src=x onerror=alert(1)>']), owner)
    await visit.page.getByRole('button', { name: '<img src=x onerror=alert(1)>' }).waitFor()
    expect(await visit.page.locator('img').count()).toBe(0)
  })
})

test.skipIf(!hasBrowser)('two windows that confirm at once name one address, and the other one is told', async () => {
  const { id, secret } = await claimed()
  await using first = await open(secret)
  await using second = await open(secret)
  for (const [{ page }, address] of [
    [first, somebody],
    [second, '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
  ] as const) {
    await page.fill('#address', address)
    await press(page, 'Continue')
    await page.waitForSelector('#named')
  }
  await Promise.all([first, second].map(({ page }) => press(page, 'Confirm address')))
  const heads = await Promise.all([first, second].map(({ page }) => page.textContent('h1')))
  expect(heads.sort()).toEqual(['An address was already entered', 'Thank you'])
  expect((await send(to, secret, { address: somebody })).status).toBe((await named(id)) === somebody ? 200 : 409)
})
