import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { hasBrowser, openBrowser } from '../../harness/browser.ts'
import { axeFaults, faultsOf, unfoldAll } from './gates.ts'
import { invoiceStates } from './invoice-states.ts'
import { tabStops } from './keyboard.ts'
import { readQr } from './qr-picture.ts'
import { receipts, states } from './states.ts'
import { type StaticPages, servePages } from './static-pages.ts'
import { planStates, subscriptionStates } from './subscription-states.ts'

let pages: StaticPages
let browser: Browser

beforeAll(async () => {
  if (!hasBrowser) return
  pages = await servePages()
  browser = await openBrowser()
})
/** One for each way to look: a context of its own for each state took a third of the time. */
const contexts = new Map<string, Promise<BrowserContext>>()
const contextOf = (options: BrowserContextOptions): Promise<BrowserContext> => {
  const key = JSON.stringify(options)
  const found = contexts.get(key) ?? browser.newContext(options)
  contexts.set(key, found)
  return found
}

afterAll(async () => {
  await browser?.close()
  await pages?.[Symbol.asyncDispose]()
})

/** Each state once; `bun run screens` looks at all of them in every width and theme. */
const looks = [
  { width: 360, colorScheme: 'light', javaScriptEnabled: true },
  { width: 1280, colorScheme: 'dark', javaScriptEnabled: true },
] as const

const open = async (
  name: string,
  { width = 1280, colorScheme = 'light' as 'light' | 'dark', javaScriptEnabled = true } = {},
) => {
  const context = await contextOf({
    ...{ viewport: { width, height: 800 }, colorScheme, javaScriptEnabled, locale: 'en-US', timezoneId: 'UTC' },
  })
  const page = await context.newPage()
  const complaints: string[] = []
  const hosts = new Set<string>()
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    const { protocol, host } = new URL(request.url())
    if (protocol !== 'data:') hosts.add(host)
  })
  await page.goto(`${pages.url}/${name}`)
  return { page, complaints, hosts, [Symbol.asyncDispose]: () => page.close() }
}

describe.skipIf(!hasBrowser)('every state', () => {
  const each = [states, invoiceStates, planStates, subscriptionStates, receipts]
    .flatMap(table => Object.keys(table))
    .map((name, at) => [name, at] as const)

  test.each(each)('%s is laid out and accessible, and asks no other host', async (name, at) => {
    await using visit = await open(name, looks[at % looks.length])
    const { page, complaints, hosts } = visit
    await page.evaluate(unfoldAll)
    expect(await faultsOf(page)).toEqual([])
    expect(await axeFaults(page)).toEqual([])
    expect([...hosts]).toEqual([new URL(pages.url).host])
    // The stream of a static page does not exist.
    expect(complaints.filter(text => !/40[0349]|410|42[29]/.test(text))).toEqual([])
    const status = (states[name] ?? invoiceStates[name] ?? planStates[name] ?? subscriptionStates[name])?.status
    if (status) {
      expect(await page.getByTestId('status').count()).toBe(1)
      expect(await page.getByTestId('status').getAttribute('data-status')).toBe(status)
    }
    expect(await page.locator('h1').count()).toBe(1)
  })
})

describe.skipIf(!hasBrowser)('the QR code', () => {
  test.each([
    ['pay', 'light'],
    ['pay', 'dark'],
    ['pay-ether', 'dark'],
    ['pay-largest', 'light'],
    ['underpaid', 'light'],
  ] as const)('of %s in the %s theme is the address and amount that are shown', async (name, colorScheme) => {
    await using visit = await open(name, { colorScheme, javaScriptEnabled: false })
    const { page } = visit
    const address = (await page.getByTestId('deposit-address').getAttribute('data-value')) ?? ''
    const frame = page.getByTestId('qr').locator('.qr__frame')
    expect(await readQr(page, frame)).toBe(address)
    await page.getByText('With amount').click()
    const units = await page.getByTestId('amount-due').getAttribute('data-value')
    const uri = await readQr(page, frame)
    expect(uri).toContain(address)
    expect(uri).toEndWith(name === 'pay-ether' ? `?value=${units}` : `&uint256=${units}`)
    // A selection has neither gaps nor line breaks.
    const selected = await page.getByTestId('deposit-address').textContent()
    expect(selected).toBe(address)
  })

  test('of the page opens the payment on a phone', async () => {
    await using visit = await open('pay-phone')
    const { page } = visit
    const url = await readQr(page, page.getByTestId('phone-qr'))
    expect(url).toBe(states['pay-phone']?.request?.phoneUrl ?? '')
    expect(await page.content()).not.toContain('_secret_')
  })
})

describe.skipIf(!hasBrowser)('to continue on a phone', () => {
  test.each([
    ['a desktop', { width: 1280, height: 800 }, false, true],
    ['a narrow window of a desktop', { width: 360, height: 800 }, false, true],
    ['a tablet', { width: 820, height: 1180 }, true, true],
    ['a phone', { width: 390, height: 844 }, true, false],
    ['a phone on its side', { width: 844, height: 390 }, true, false],
  ])('is offered on %s of %o: %p %p', async (_, viewport, hasTouch, isOffered) => {
    const context = await browser.newContext({ viewport, hasTouch, isMobile: hasTouch })
    const page = await context.newPage()
    await page.goto(`${pages.url}/pay`)
    expect(await page.getByTestId('continue-on-phone').isVisible()).toBe(isOffered)
    expect(await page.getByTestId('change-asset').isVisible()).toBe(true)
    await context.close()
  })
})

/** Where each character of the title stands, from the left. */
const places = `(() => {
  const text = document.createTreeWalker(document.querySelector('.order__item'), NodeFilter.SHOW_TEXT).nextNode()
  return Array.from(text.nodeValue.split(',')[0], (_, at) => {
    const range = document.createRange()
    range.setStart(text, at)
    range.setEnd(text, at + 1)
    return range.getBoundingClientRect().left
  })
})()`

test.skipIf(!hasBrowser)('a title from right to left ends at its left', async () => {
  await using visit = await open('open-rtl')
  const lefts = (await visit.page.evaluate(places)) as number[]
  expect(lefts.length).toBeGreaterThan(5)
  expect(lefts).toEqual(lefts.toSorted((a, b) => b - a))
})

test.skipIf(!hasBrowser).each([
  ['open-error', 'Geben Sie', 'Enter an e-mail'],
  ['invoice-error', 'Wählen Sie', 'Choose what'],
])('the sample %s is in the language of its page', async (name, german, english) => {
  for (const [lang, shown, other] of [
    ['de', german, english],
    ['en', english, german],
  ] as const) {
    await using visit = await open(`${name}?lang=${lang}`)
    const text = (await visit.page.locator('main').textContent()) ?? ''
    expect([lang, text.includes(shown), text.includes(other)]).toEqual([lang, true, false])
  }
})

test.skipIf(!hasBrowser).each(Object.keys(receipts))('%s writes amounts of assets as its language does', async name => {
  await using visit = await open(`${name}?lang=de`)
  const text = (await visit.page.locator('main').textContent()) ?? ''
  expect(text).toMatch(/\d,\d{2,} [A-Z]{3}/)
  expect(text.match(/\d\.\d+ [A-Z]{3}/g)).toBeNull()
})

describe.skipIf(!hasBrowser)('an invoice', () => {
  test('of test mode hides no focused element behind its stripe, also backwards on a small phone', async () => {
    await using visit = await open('invoice-test', { width: 360 })
    const { page } = visit
    await page.setViewportSize({ width: 360, height: 360 })
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    const stripe = (await page.getByTestId('test-mode').boundingBox())?.height ?? 0
    expect(stripe).toBeGreaterThan(20)
    const tops: number[] = []
    // The sixth is the skip link, which is above the stripe.
    for (let at = 0; at < 5; at++) {
      await page.keyboard.press('Shift+Tab')
      tops.push((await page.evaluate('document.activeElement.getBoundingClientRect().top')) as number)
    }
    expect(tops.filter(top => top < stripe)).toEqual([])
  })

  test('folds more than eight credit notes', async () => {
    await using visit = await open('invoice-50-credit-notes', { width: 360 })
    const { page } = visit
    expect(await page.getByTestId('credit-notes').locator('li').count()).toBe(8)
    expect(await page.getByTestId('more-credit-notes').locator('summary').textContent()).toBe('42 more credit notes')
    expect(await page.getByTestId('credit-note').first().textContent()).toBe('Credit note CN-2026-0050 as issued (PDF)')
  })

  test('says what is still to be refunded, and shows what was with its transaction', async () => {
    await using waiting = await open('invoice-to-be-refunded')
    expect(await waiting.page.getByTestId('to-be-refunded').textContent()).toContain('$50.00 will be refunded to you')
    expect(await waiting.page.getByTestId('to-be-refunded').textContent()).toContain('enter your address')
    expect(await waiting.page.getByTestId('credit-notes').textContent()).toContain('To be refunded: $50.00')
    await using sending = await open('invoice-being-refunded')
    const notes = sending.page.getByTestId('credit-notes')
    expect(await sending.page.getByTestId('to-be-refunded').textContent()).toContain('$30.00 will be refunded to you')
    expect(await notes.textContent()).toContain('To be refunded: $30.00')
    expect(await notes.textContent()).toContain('Refunded: $20.00')
    expect(await notes.getByRole('link', { name: '0x3e3e' }).getAttribute('href')).toContain('/tx/0x3e3e')
    await using canceled = await open('invoice-refund-canceled')
    expect(await canceled.page.getByTestId('credit-notes').textContent()).toContain('Added to your credit: $60.00')
    expect(await canceled.page.getByTestId('to-be-refunded').count()).toBe(0)
  })

  test.each(['invoice-being-refunded', 'invoice-refund-canceled', 'invoice-credit-spent'])(
    '%s is walked by keyboard alone: every stop is seen, in the order of the page',
    async name => {
      for (const width of [360, 1280]) {
        await using visit = await open(name, { width })
        const { page } = visit
        const stops = await tabStops(page)
        expect(stops[0]).toBe('Skip to invoice')
        expect(stops.at(-1)).toBe('language')
        expect(stops).toContain('document')
        const focusable = await page.locator('a:visible, button:visible, summary:visible, input:visible').count()
        expect(stops.length).toBe(focusable)
      }
    },
  )

  test('does not call money credit that was spent', async () => {
    await using visit = await open('invoice-credit-spent')
    expect(await visit.page.locator('main').textContent()).not.toContain('your credit')
  })

  test('that is overdue says so once', async () => {
    await using visit = await open('invoice-overdue')
    const text = await visit.page.locator('main').textContent()
    expect(text?.match(/overdue/gi)).toEqual(['Overdue'])
    expect(text).toContain('Due since Nov 10, 2026')
  })

  test('of the largest amounts keeps each on one line of a phone', async () => {
    await using visit = await open('invoice-largest', { width: 360 })
    expect(await faultsOf(visit.page)).toEqual([])
    const heights = await visit.page.locator('.invoice .num').evaluateAll(all => all.map(each => each.clientHeight))
    expect(heights.length).toBeGreaterThan(2)
    expect(Math.max(...heights)).toBeLessThan(30)
  })
})
