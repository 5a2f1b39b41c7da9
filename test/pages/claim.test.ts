import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { assetRoutes } from '../../src/http/assets.ts'
import { claimRoutes } from '../../src/http/refund-claims.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { decodeId } from '../../src/ids.ts'
import { payer } from '../../src/sandbox/contracts.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { hasBrowser, openBrowser } from '../harness/browser.ts'
import { until } from '../harness/until.ts'
import { expire, refundRow, secretOf, send } from '../http/claims.ts'
import { type Shop, shop } from '../http/people.ts'
import { customerAddress, makeRefund } from '../http/refunds.ts'
import { tabStops, tabTo } from '../web/pay/keyboard.ts'

// Scripts for the page are strings, because the types of this program have no DOM.
const faintTexts = await Bun.file(new URL('./contrast.js', import.meta.url)).text()
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

let server: ApiServer
let browser: Browser
let lamps: Shop

beforeAll(async () => {
  if (!hasBrowser) return
  const routes = [...refundRoutes, ...claimRoutes, ...assetRoutes]
  server = await apiServer({ routes, env: { CHECKOUT_RATE_LIMIT: '0' } })
  browser = await openBrowser()
  lamps = await shop(server.api, 'Lamps and every other light there is '.repeat(4))
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

const claimed = async () => {
  const id = await makeRefund(server.api, { merchantId: lamps.merchantId, livemode: false })
  const { json } = await server.call('GET', `${lamps.path}/refunds/${id}`, { bearer: lamps.owner.bearer })
  return { id, secret: secretOf((json as { claimUrl: string }).claimUrl) }
}

const open = async (secret: string, options: BrowserContextOptions = {}, script = '') => {
  const context = await browser.newContext(options)
  await context.addInitScript(script)
  const page = await context.newPage()
  const requests: string[] = []
  const consoleMessages: string[] = []
  page.on('request', request => requests.push(`${request.method()} ${new URL(request.url()).origin}`))
  page.on('console', message => consoleMessages.push(message.text()))
  page.on('pageerror', error => consoleMessages.push(error.message))
  await page.goto(`${server.url}/claims/${secret}`)
  const close = () => context.close()
  return { page, requests, consoleMessages, [Symbol.asyncDispose]: close }
}

const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

const shown = async (page: Page) => ({
  lang: await page.locator('html').getAttribute('lang'),
  heading: await page.locator('h1').textContent(),
  stripe: await page.getByTestId('test-mode').locator('b').textContent(),
  shop: (await page.locator('.shop').textContent())?.slice(0, 40),
})

describe.skipIf(!hasBrowser)('the language of the page', () => {
  test('is that of ?lang= up to the confirmation, can be changed, and shop and test mode are named in it', async () => {
    const { secret } = await claimed()
    await using visit = await open(`${secret}?lang=de`)
    const { page } = visit
    const german = {
      lang: 'de',
      stripe: 'Testmodus – kein echtes Geld.',
      shop: expect.stringContaining('Erstattung von Lamps'),
    }
    expect(await shown(page)).toEqual({ ...german, heading: 'Geben Sie Ihre Adresse für die Erstattung ein' })
    await page.fill('#address', '0x12')
    await press(page, 'Weiter')
    await page.getByText('An diese Adresse kann die Erstattung nicht gesendet werden.').waitFor()
    expect(await page.textContent('body')).not.toContain('invalid_destination')
    await page.fill('#address', customerAddress)
    await press(page, 'Weiter')
    await page.waitForSelector('#named')
    expect(await shown(page)).toEqual({ ...german, heading: 'Ist das Ihre Adresse?' })
    await press(page, 'Adresse bestätigen')
    await page.getByRole('heading', { name: 'Vielen Dank' }).waitFor()
    await page.getByTestId('language').click()
    await page.getByRole('heading', { name: 'An address was already entered' }).waitFor()
    expect(await shown(page)).toMatchObject({ lang: 'en', shop: expect.stringContaining('Refund from Lamps') })
  })
})

const named = async (id: string) => (await refundRow(server.api, id))?.destination

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

  test('every page fits, is readable, and sends requests only to this server', async () => {
    const { secret } = await claimed()
    await using visit = await open(secret, options, announcing(['Lamp Wallet', 'W'.repeat(60)]))
    const { page } = visit
    await expectReadable(page)
    await page.fill('#address', '0x12')
    await press(page, 'Continue')
    await page.waitForSelector('[role=alert]')
    await expectReadable(page)
    await page.fill('#address', customerAddress)
    await press(page, 'Continue')
    await page.waitForSelector('#named')
    await expectReadable(page)
    await press(page, 'Confirm address')
    await page.waitForSelector('text=Thank you')
    await expectReadable(page)
    const over = await claimed()
    await expire(server.api, over.id)
    for (const each of [secret, over.secret, 'none']) {
      await page.goto(`${server.url}/claims/${each}`)
      await expectReadable(page)
    }
    expect(new Set(visit.requests)).toEqual(new Set([`GET ${server.url}`, `POST ${server.url}`]))
    expect(visit.consoleMessages.filter(each => !/4(04|10|22)/.test(each))).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('with the keyboard only, without scripts', () => {
  test('the address is typed, checked and confirmed, and everything has its label', async () => {
    const { id, secret } = await claimed()
    await using visit = await open(secret, { javaScriptEnabled: false })
    const { page } = visit
    expect(await page.locator('button:visible').allTextContents()).toEqual(['Use the sandbox wallet', 'Continue'])
    const field = page.getByRole('textbox', { name: 'Your address on Chain 31337' })
    expect(await tabTo(page, 'address')).toEqual(['sandbox-wallet', 'address'])
    expect(await field.evaluate(input => input.matches(':focus'))).toBe(true)
    await page.keyboard.type('0x12')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await page.title()).toStartWith('Error: ')
    // The focus is on the field with the error, which is its description.
    expect(await field.evaluate(input => input.matches(':focus'))).toBe(true)
    expect(await field.getAttribute('aria-describedby')).toContain('fault')
    await field.selectText()
    await page.keyboard.type(customerAddress.toLowerCase())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Is this your address?' }).waitFor()
    // Copying gives the full address, whatever separates its parts on the screen.
    expect(
      await page.evaluate(
        '(getSelection().selectAllChildren(document.querySelector("#named code")), String(getSelection()))',
      ),
    ).toBe(customerAddress)
    expect(await named(id)).toBeNull()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    expect(await named(id)).toBe(customerAddress)
  })

  test('the sandbox wallet is entered without typing, where the refund is paid in the sandbox', async () => {
    const { id, secret } = await claimed()
    await using visit = await open(secret, { javaScriptEnabled: false })
    const { page } = visit
    expect(await tabStops(page)).toEqual(['sandbox-wallet', 'address', 'Continue', 'language'])
    await tabTo(page, 'sandbox-wallet')
    await page.keyboard.press('Enter')
    await page.getByText('This is the address of the sandbox wallet:').waitFor()
    expect((await page.locator('#named code').textContent())?.toLowerCase()).toBe(payer)
    expect(await named(id)).toBeNull()
    expect(await tabStops(page)).toEqual(['Confirm address', 'Use another address', 'language'])
    await tabTo(page, 'Confirm address')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    expect((await named(id))?.toLowerCase()).toBe(payer)
    const elsewhere = await claimed()
    await server.sql`update refunds set chain_id = 8453 where id = ${decodeId('re', elsewhere.id) ?? ''}`
    await page.goto(`${server.url}/claims/${elsewhere.secret}`)
    await page.getByRole('textbox', { name: 'Your address on Chain 8453' }).waitFor()
    expect(await page.locator('button:visible').allTextContents()).toEqual(['Continue'])
  })

  test('a customer who notices an error goes back and enters another address', async () => {
    const { id, secret } = await claimed()
    await using visit = await open(secret, { javaScriptEnabled: false })
    const { page } = visit
    await page.fill('#address', customerAddress)
    await press(page, 'Continue')
    await page.click('text=Use another address')
    await page.waitForSelector('#address')
    expect([await page.inputValue('#address'), await named(id)]).toEqual(['', null])
  })
})

/** Wallets that announce themselves (EIP-6963); the test answers their requests by `askWallet`. */
const announcing = (names: readonly string[]): string => `
  for (const name of ${JSON.stringify(names)}) {
    const detail = { info: { uuid: name, name }, provider: { request: requests => window.askWallet(requests) } }
    const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    addEventListener('eip6963:requestProvider', announce)
  }`
const inWindow = 'window.ethereum = { request: asked => window.askWallet(asked) }'

type WalletRequest = { readonly method: string; readonly params?: readonly [`0x${string}`, string] }

describe.skipIf(!hasBrowser)('with a wallet in the browser', () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const rejected = () => Promise.reject(new Error('the user said no'))
  const owner = ({ method, params }: WalletRequest): Promise<unknown> => {
    if (method === 'eth_requestAccounts') return Promise.resolve([account.address])
    return account.signMessage({ message: { raw: params?.[0] ?? '0x' } })
  }

  const openWith = async (script: string, wallet: (requests: WalletRequest) => Promise<unknown>) => {
    const claim = await claimed()
    const visit = await open('none', {}, script)
    await visit.page.exposeFunction('askWallet', wallet)
    await visit.page.goto(`${server.url}/claims/${claim.secret}`)
    return { ...claim, ...visit, says: () => visit.page.textContent('#wallet-says') }
  }

  test.each([
    ['announces itself by EIP-6963', announcing(['Other', 'Lamp Wallet']), 'Lamp Wallet'],
    ['is in window.ethereum', inWindow, 'Browser wallet'],
  ])('that %s, the address is filled in, signed and proven', async (_, script, name) => {
    await using visit = await openWith(script, owner)
    const { page, id } = visit
    await page.getByRole('button', { name }).click()
    await page.waitForSelector('text=Your wallet has confirmed that this address is yours.')
    await press(page, 'Confirm address')
    await page.waitForSelector('text=Thank you')
    expect(await refundRow(server.api, id)).toMatchObject({ destination: account.address, proofs: 1 })
  })

  test('that returns no address, the customer types it', async () => {
    await using visit = await openWith(announcing(['Lamp Wallet']), rejected)
    const { page, id } = visit
    await press(page, 'Lamp Wallet')
    await until(async () => (await visit.says())?.includes('did not return an address'))
    await page.fill('#address', customerAddress)
    await press(page, 'Continue')
    await press(page, 'Confirm address')
    await page.waitForSelector('text=Thank you')
    expect(await refundRow(server.api, id)).toMatchObject({ destination: customerAddress, proofs: 0 })
  })

  test('that refuses to sign, its address is accepted without a proof', async () => {
    await using visit = await openWith(announcing(['Lamp Wallet']), requests =>
      requests.method === 'personal_sign' ? rejected() : owner(requests),
    )
    const { page, id } = visit
    await press(page, 'Lamp Wallet')
    await until(async () => (await visit.says())?.includes('A signature is optional'))
    await press(page, 'Continue')
    await press(page, 'Confirm address')
    await page.waitForSelector('text=Thank you')
    expect(await refundRow(server.api, id)).toMatchObject({ destination: account.address, proofs: 0 })
  })

  test('that signs with another key, the page shows an error, and the next try works without a signature', async () => {
    const otherKey = privateKeyToAccount(generatePrivateKey())
    await using visit = await openWith(announcing(['Lamp Wallet']), requests =>
      requests.method === 'personal_sign' ? otherKey.signMessage({ message: 'something else' }) : owner(requests),
    )
    const { page, id } = visit
    await press(page, 'Lamp Wallet')
    await page.waitForSelector('text=The signature does not belong to this address')
    expect(await page.inputValue('#address')).toBe(account.address.toLowerCase())
    await press(page, 'Continue')
    await press(page, 'Confirm address')
    await page.waitForSelector('text=Thank you')
    expect(await refundRow(server.api, id)).toMatchObject({ destination: account.address, proofs: 0 })
  })

  test('an address typed after signing is not sent with the signature', async () => {
    await using visit = await openWith(inWindow, owner)
    const { page } = visit
    await page.evaluate("document.getElementById('address').form.requestSubmit = () => {}")
    await page.getByRole('button', { name: 'Browser wallet' }).click()
    await until(async () => (await visit.says()) === 'Signed.')
    await page.fill('#address', customerAddress)
    expect(await page.inputValue('#signature')).toBe('')
  })

  test('a wallet name with markup is shown as text', async () => {
    await using visit = await openWith(announcing(['<img src=x onerror=alert(1)>']), owner)
    await visit.page.getByRole('button', { name: '<img src=x onerror=alert(1)>' }).waitFor()
    expect(await visit.page.locator('img').count()).toBe(0)
  })
})

test.skipIf(!hasBrowser)(
  'of two windows that confirm at the same time one sets the address, and the other shows that it is set',
  async () => {
    const { id, secret } = await claimed()
    await using first = await open(secret)
    await using second = await open(secret)
    for (const [{ page }, address] of [
      [first, customerAddress],
      [second, '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
    ] as const) {
      await page.fill('#address', address)
      await press(page, 'Continue')
      await page.waitForSelector('#named')
    }
    await Promise.all([first, second].map(({ page }) => press(page, 'Confirm address')))
    const heads = await Promise.all([first, second].map(({ page }) => page.textContent('h1')))
    expect(heads.sort()).toEqual(['An address was already entered', 'Thank you'])
    expect((await send(server, secret, { address: customerAddress })).status).toBe(
      (await named(id)) === customerAddress ? 200 : 409,
    )
  },
)
