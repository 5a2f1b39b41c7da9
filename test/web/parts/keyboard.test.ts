import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, openBrowser } from '../../harness/browser.ts'
import { type Gallery, openGallery } from '../harness/gallery.ts'

/**
 * The keyboard tables of the parts, as the WAI-ARIA Authoring Practices ask for them. Each row is pressed in its order, in
 * a real browser: the keys, and what is so afterwards.
 */
const tables: Readonly<Record<string, Sequence>> = {
  'a menu button': {
    start: ['button', 'More actions'],
    read: () => ({
      menu: document.querySelector('.menu:popover-open') ? 'open' : 'closed',
      focus: nameOfFocus(),
      chosen: document.querySelector('output')?.textContent ?? '',
    }),
    rows: `
      keys       | menu   | focus           | chosen
      Enter      | open   | Duplicate       |
      ArrowDown  | open   | Download as CSV |
      ArrowDown  | open   | Deactivate      |
      Enter      | open   | Deactivate      |
      ArrowDown  | open   | Delete          |
      ArrowDown  | open   | Duplicate       |
      ArrowUp    | open   | Delete          |
      Home       | open   | Duplicate       |
      End        | open   | Delete          |
      Escape     | closed | More actions    |
      Space      | open   | Duplicate       |
      Escape     | closed | More actions    |
      ArrowUp    | open   | Delete          |
      Escape     | closed | More actions    |
      ArrowDown  | open   | Duplicate       |
      d          | open   | Download as CSV |
      Escape     | closed | More actions    |
      ArrowDown  | open   | Duplicate       |
      d d        | open   | Deactivate      |
      Escape     | closed | More actions    |
      ArrowDown  | open   | Duplicate       |
      e          | open   | Duplicate       |
      End Enter  | closed | More actions    | Delete
      ArrowDown  | open   | Duplicate       | Delete
      Space      | closed | More actions    | Duplicate
      ArrowDown  | open   | Duplicate       | Duplicate
      Tab        | closed | Say so          | Duplicate`,
  },
  tabs: {
    start: ['tab', 'Attempts 3'],
    read: () => ({
      selected: document.querySelector('[role=tab][aria-selected=true]')?.textContent ?? '',
      focus: nameOfFocus(),
      panel: document.querySelector('[role=tabpanel]')?.textContent ?? '',
    }),
    rows: `
      keys       | selected  | focus             | panel
      ArrowRight | Request   | Request           | Panel of request
      ArrowRight | Response  | Response          | Panel of response
      ArrowRight | Attempts3 | Attempts3         | Panel of attempts
      ArrowLeft  | Response  | Response          | Panel of response
      Home       | Attempts3 | Attempts3         | Panel of attempts
      End        | Response  | Response          | Panel of response
      Tab        | Response  | Panel of response | Panel of response
      Shift+Tab  | Response  | Response          | Panel of response`,
  },
  'a combobox': {
    start: ['combobox', 'Network'],
    read: () => {
      const field = document.querySelector<HTMLInputElement>('[role=combobox]')
      const active = document.getElementById(field?.getAttribute('aria-activedescendant') ?? '')
      return {
        list: document.querySelector('.options:popover-open') ? 'open' : 'closed',
        active: active?.firstElementChild?.textContent ?? '',
        text: field?.value ?? '',
        focus: document.activeElement === field ? 'field' : 'elsewhere',
      }
    },
    rows: `
      keys          | list   | active       | text         | focus
      ArrowDown     | open   | Arbitrum One |              | field
      ArrowDown     | open   | Base         |              | field
      ArrowUp       | open   | Arbitrum One |              | field
      ArrowUp       | open   | Polygon      |              | field
      ArrowDown     | open   | Arbitrum One |              | field
      Escape        | closed |              |              | field
      ArrowUp       | open   | Polygon      |              | field
      Enter         | closed |              | Polygon      | field
      Escape        | closed |              |              | field
      b a s         | open   |              | bas          | field
      ArrowDown     | open   | Base         | bas          | field
      Home          | open   | Base         | bas          | field
      Enter         | closed |              | Base         | field
      Alt+ArrowDown | open   |              | Base         | field
      Alt+ArrowUp   | closed |              | Base         | field
      ArrowDown     | open   | Base         | Base         | field
      Escape Escape | closed |              |              | field
      x x           | open   |              | xx           | field
      ArrowDown     | open   |              | xx           | field
      Tab           | closed |              | xx           | elsewhere`,
  },
  'a dialog': {
    start: ['button', 'Refund…'],
    read: () => ({ dialog: document.querySelector('dialog[open] h2')?.textContent ?? '', focus: nameOfFocus() }),
    rows: `
      keys      | dialog        | focus
      Enter     | Refund €49.00 | Amount
      Tab       | Refund €49.00 | Network
      Tab       | Refund €49.00 | Cancel
      Tab       | Refund €49.00 | Start refund of €49.00
      Shift+Tab | Refund €49.00 | Cancel
      Enter     |               | Refund…
      Space     | Refund €49.00 | Amount
      Shift+Tab | Refund €49.00 | Close
      Enter     |               | Refund…
      Enter     | Refund €49.00 | Amount
      Escape    |               | Refund…`,
  },
  'an open list in a dialog, which Escape closes first': {
    start: ['button', 'Refund…'],
    read: () => ({
      dialog: document.querySelector('dialog[open] h2')?.textContent ?? '',
      list: document.querySelector('.options:popover-open') ? 'open' : 'closed',
    }),
    rows: `
      keys          | dialog        | list
      Enter         | Refund €49.00 | closed
      Tab           | Refund €49.00 | closed
      ArrowDown     | Refund €49.00 | open
      Escape        | Refund €49.00 | closed
      Escape        |               | closed`,
  },
  'a dialog that shows a secret, which only its button closes': {
    start: ['button', 'Create key…'],
    read: () => ({ dialog: document.querySelector('dialog[open] h2')?.textContent ?? '', focus: nameOfFocus() }),
    rows: `
      keys                 | dialog   | focus
      Enter                | Your key | Your key
      Escape Escape Escape | Your key | Your key
      Tab Tab              | Your key | I have stored it
      Tab Enter            | Your key | Close
      Shift+Tab Space      | Your key | I have stored it
      Tab Enter            |          | Create key…`,
  },
  'a table': {
    start: ['link', 'mia.koch@posteo.de'],
    read: () => ({ focus: nameOfFocus(), address: location.hash }),
    rows: `
      keys      | focus                      | address
      j         | j.okafor@studio-okafor.com |
      ArrowDown | claire@maison-aubert.fr    |
      j         | no.reply.42@proton.me      |
      j         | no.reply.42@proton.me      |
      k         | claire@maison-aubert.fr    |
      ArrowUp   | j.okafor@studio-okafor.com |
      Control+k | j.okafor@studio-okafor.com |
      Enter     | j.okafor@studio-okafor.com | #pay_2`,
  },
  'a chart, whose points are read with the arrow keys': {
    start: ['slider', 'Compared'],
    read: () => ({
      value: document.querySelector('[aria-label=Compared]')?.getAttribute('aria-valuetext') ?? '',
      at: document.querySelector('[aria-label=Compared]')?.getAttribute('aria-valuenow') ?? '',
      shown: [...document.querySelectorAll('.chart__tip > *')].map(line => line.textContent).join(' / '),
    }),
    rows: `
      keys                        | value                                      | at | shown
      ArrowLeft                   | 29 November: €290.00, Before: €10.00       | 29 | €290.00 / 29 November / Before: €10.00
      ArrowRight                  | 30 November: €300.00, Before: €5.00        | 30 | €300.00 / 30 November / Before: €5.00
      ArrowRight                  | 30 November: €300.00, Before: €5.00        | 30 | €300.00 / 30 November / Before: €5.00
      Home                        | 1 November: €10.00, Before: €150.00        | 1  | €10.00 / 1 November / Before: €150.00
      ArrowLeft                   | 1 November: €10.00, Before: €150.00        | 1  | €10.00 / 1 November / Before: €150.00
      PageUp                      | 4 November: €40.00, Before: €135.00        | 4  | €40.00 / 4 November / Before: €135.00
      ArrowUp                     | 5 November: €50.00, Before: €130.00        | 5  | €50.00 / 5 November / Before: €130.00
      ArrowDown                   | 4 November: €40.00, Before: €135.00        | 4  | €40.00 / 4 November / Before: €135.00
      PageDown                    | 1 November: €10.00, Before: €150.00        | 1  | €10.00 / 1 November / Before: €150.00
      PageUp PageUp PageUp PageUp | 13 November: no value, Before: €90.00      | 13 | no value / 13 November / Before: €90.00
      Control+ArrowRight          | 13 November: no value, Before: €90.00      | 13 | no value / 13 November / Before: €90.00
      Escape                      | 30 November: €300.00, Before: €5.00        | 30 |
      ArrowLeft                   | 29 November: €290.00, Before: €10.00       | 29 | €290.00 / 29 November / Before: €10.00
      End                         | 30 November: €300.00, Before: €5.00        | 30 | €300.00 / 30 November / Before: €5.00
      Tab                         | 30 November: €300.00, Before: €5.00        | 30 | `,
  },
  'a toast, whose buttons can be reached': {
    start: ['button', 'Say so'],
    read: () => ({
      toasts: document.querySelectorAll('.toast-stack:popover-open .toast').length.toString(),
      chosen: document.querySelector('output')?.textContent ?? '',
    }),
    rows: `
      keys              | toasts | chosen
      Enter             | 1      |
      Enter Enter Enter | 3      | `,
  },
}

type Sequence = {
  readonly start: readonly [role: 'button' | 'tab' | 'combobox' | 'link' | 'slider', name: string]
  readonly read: () => Readonly<Record<string, string>>
  readonly rows: string
}

/** Runs in the page. */
declare const nameOfFocus: () => string

const nameOfFocusInPage = `globalThis.nameOfFocus = () => {
  const at = document.activeElement
  const label = at?.labels?.[0]?.textContent ?? at?.getAttribute('aria-label') ?? at?.textContent ?? ''
  return at === document.body ? '' : label.trim()
}`

let browser: Browser
let gallery: Gallery

beforeAll(async () => {
  if (!hasBrowser) return
  ;[browser, gallery] = await Promise.all([openBrowser(), openGallery()])
})
afterAll(async () => {
  await browser?.close()
  await gallery?.[Symbol.asyncDispose]()
})

const openPage = async (): Promise<Page> => {
  const page = await browser.newPage()
  await page.addInitScript(nameOfFocusInPage)
  await page.goto(gallery.url)
  await page.getByRole('heading', { name: 'Parts' }).waitFor()
  return page
}

const cellsOf = (line: string): readonly string[] => line.split('|').map(cell => cell.trim())

test.skipIf(!hasBrowser).each(Object.entries(tables))('%s', async (_, { start, read, rows }) => {
  const page = await openPage()
  const [head = '', ...lines] = rows.trim().split('\n')
  const [, ...names] = cellsOf(head)
  await page.getByRole(start[0], { name: start[1], exact: true }).first().focus()
  for (const line of lines) {
    const [keys = '', ...cells] = cellsOf(line)
    for (const key of keys.split(' ')) await page.keyboard.press(key)
    const expected = { keys, ...Object.fromEntries(names.map((name, n) => [name, cells[n] ?? ''])) }
    // Preact renders after the event.
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))))
    expect({ keys, ...(await page.evaluate(read)) }).toEqual(expected)
  }
  await page.close()
})

test.skipIf(!hasBrowser)('every part that opens has its state in the accessibility tree', async () => {
  const page = await openPage()
  const menu = (expanded: boolean) => page.getByRole('button', { name: 'More actions', expanded })
  await menu(false).click()
  await menu(true).waitFor()
  // A click elsewhere closes it.
  await page.getByRole('heading', { name: 'Parts' }).click()
  await menu(false).waitFor()
  const field = page.getByRole('combobox', { name: 'Network' }).first()
  await field.fill('poly')
  expect(await page.getByRole('listbox').getByRole('option').allTextContents()).toEqual(['PolygonUSDC'])
  await page.getByRole('listbox').getByRole('option').click()
  expect(await field.inputValue()).toBe('Polygon')
  const email = page.getByRole('textbox', { name: 'E-mail' })
  expect(await email.getAttribute('aria-invalid')).toBe('true')
  expect(
    await email.evaluate(input => document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent),
  ).toBe('Enter an e-mail address, like anna@example.com.')
  await page.close()
})

test.skipIf(!hasBrowser)('a click beside a dialog closes it, unless it shows a secret', async () => {
  const page = await openPage()
  await page.getByRole('button', { name: 'Refund…' }).click()
  await page.getByRole('dialog').waitFor()
  await page.mouse.click(5, 5)
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Create key…' }).click()
  await page.getByRole('dialog').waitFor()
  await page.mouse.click(5, 5)
  expect(await page.getByRole('dialog', { name: 'Your key' }).isVisible()).toBe(true)
  await page.close()
})

test.skipIf(!hasBrowser)('what is copied is the whole value, and the button says so', async () => {
  const page = await openPage()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const address = '0x738A474F518EF6ebAc70682A1C00E7D132A48E1e'
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await page.getByRole('button', { name: 'Copy address' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await copied()).toBe(address)
  await page.getByRole('button', { name: 'Copy the payment ID' }).click()
  expect(await copied()).toBe('pay_06bt4m9x3kq7v5n2c8hd1wzrfe')
  // A selection by hand has no spaces in it.
  expect(
    await page.locator('.address').evaluate(code => {
      getSelection()?.selectAllChildren(code)
      return String(getSelection())
    }),
  ).toBe(address)
  await page.close()
})

test.skipIf(!hasBrowser)('without a clipboard, as on http, it is copied by selection, also in a dialog', async () => {
  const page = await openPage()
  await page.context().grantPermissions(['clipboard-read'])
  await page.evaluate(() =>
    Object.defineProperty(navigator.clipboard, 'writeText', { value: () => Promise.reject(new Error()) }),
  )
  await page.getByRole('button', { name: 'Create key…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Copy key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('sk_test_1')
  await page.close()
})

test.skipIf(!hasBrowser)('a toast goes away by itself, and stays while the pointer is on it', async () => {
  const page = await browser.newPage()
  await page.clock.install()
  await page.goto(gallery.url)
  await page.getByRole('button', { name: 'Say so' }).click()
  const toast = page.getByText('Payment link created')
  await toast.hover()
  await page.clock.runFor(20_000)
  expect(await toast.isVisible()).toBe(true)
  await page.mouse.move(5, 5)
  await page.clock.runFor(6_500)
  expect(await toast.isVisible()).toBe(false)
  await page.close()
})

test.skipIf(!hasBrowser)(
  'what is loading is not seen for 150 ms, keeps its height, and after 10 s there is a way out',
  async () => {
    const page = await browser.newPage()
    await page.clock.install({ time: 0 })
    await page.clock.pauseAt(1_000)
    await page.goto(gallery.url)
    const loading = page.locator('.loading')
    const heightNow = () => loading.evaluate(each => each.getBoundingClientRect().height)
    const before = await heightNow()
    expect([before > 100, await loading.locator('.skeleton').first().isVisible()]).toEqual([true, false])
    await page.clock.runFor(200)
    expect([await heightNow(), await loading.locator('.skeleton').first().isVisible()]).toEqual([before, true])
    await page.clock.runFor(10_000)
    await page.getByRole('alert').getByRole('button', { name: 'Try again', exact: true }).click()
    expect(await page.getByText('Retried').isVisible()).toBe(true)
    await page.close()
  },
)

test.skipIf(!hasBrowser).each([360, 1280])(
  'at %d px nothing scrolls sideways, and no control is smaller than 24 px',
  async width => {
    const page = await browser.newPage({ viewport: { width, height: 800 } })
    await page.goto(gallery.url)
    await page.getByRole('heading', { name: 'Parts' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    const small = await page
      .locator('button:visible, input:visible, select:visible')
      .evaluateAll(controls =>
        controls
          .map(each => ({ text: each.textContent, ...each.getBoundingClientRect().toJSON() }))
          .filter(({ width, height }) => width < 24 || height < 24),
      )
    expect(small).toEqual([])
    await page.close()
  },
)

test.skipIf(!hasBrowser)('a chart shows the point below the pointer, and moves nothing for that', async () => {
  const page = await openPage()
  const plot = page.getByRole('slider', { name: 'Money in by day' })
  await plot.scrollIntoViewIfNeeded()
  const { x = 0, y = 0, width = 0, height = 0 } = (await plot.boundingBox()) ?? {}
  const shownAt = async (part: number) => {
    await page.mouse.move(x + width * part, y + height / 2)
    return page.locator('.chart__tip b').textContent()
  }
  expect([await shownAt(0.001), await shownAt(0.53), await shownAt(0.999)]).toEqual(['€10.00', '€160.00', '€300.00'])
  // It stays in the window.
  const tip = (await page.locator('.chart__tip').boundingBox()) ?? { x: 0, width: 9_999 }
  expect(tip.x + tip.width).toBeLessThanOrEqual(x + width)
  await page.mouse.move(5, 5)
  await page.locator('.chart__tip').waitFor({ state: 'detached' })
  expect((await plot.boundingBox())?.height).toBe(height)
  // A point that has not ended is drawn lighter.
  const fillOf = (n: number) =>
    plot
      .locator('rect')
      .nth(n)
      .evaluate(bar => getComputedStyle(bar).fill)
  expect(await fillOf(29)).not.toBe(await fillOf(28))
  expect(await plot.locator('rect').nth(14).getAttribute('height')).toBe('50')
  await page.close()
})

test.skipIf(!hasBrowser)('a chart is seen in forced colors', async () => {
  const page = await browser.newPage({ forcedColors: 'active' })
  await page.goto(gallery.url)
  const look = (selector: string, what: 'fill' | 'stroke') =>
    page
      .locator(selector)
      .first()
      .evaluate((each, name) => getComputedStyle(each)[name], what)
  const [ground, bar] = [
    await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
    await look('.chart__bar', 'fill'),
  ]
  expect(bar).not.toBe(ground)
  expect(await look('.chart__line[data-second]', 'stroke')).not.toBe(
    await look('.chart__line:not([data-second])', 'stroke'),
  )
  await page.close()
})
