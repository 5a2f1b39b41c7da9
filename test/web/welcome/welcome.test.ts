import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { routes } from '../../../src/http/routes.ts'
import { pageRoutes } from '../../../src/server/page-routes.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { hasBrowser, openBrowser } from '../../harness/browser.ts'
import { shop } from '../../http/people.ts'
import { axeFaults, faultsOf } from '../pay/gates.ts'

const served = [...routes, ...pageRoutes(routes)]
const env = { CHECKOUT_RATE_LIMIT: '0' }
let empty: ApiServer
let used: ApiServer

beforeAll(async () => {
  empty = await apiServer({ routes: served, env })
  used = await apiServer({ routes: served, env })
  await shop(used.api)
})
afterAll(async () => {
  await empty[Symbol.asyncDispose]()
  await used[Symbol.asyncDispose]()
})

/** The command as the page shows it. */
const commandIn = (text: string) =>
  /<code>(curl .*?)<\/code>/s.exec(text)?.[1]?.replaceAll('&#34;', '"').replaceAll('&#39;', "'")

describe('GET /', () => {
  test('200: on a server without accounts, the command creates the first one', async () => {
    const { status, text, headers } = await empty.call('GET', '/')
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(text).toContain('bun run demo')
    const [, json = ''] = /-d '(.*)'$/s.exec(commandIn(text) ?? '') ?? []
    expect(commandIn(text)).toStartWith(`curl ${empty.api.settings.publicUrl}/v1/auth/sign-up `)
    await using fresh = await apiServer({ routes: served, env })
    const created = await fresh.call('POST', '/v1/auth/sign-up', { json: JSON.parse(json) })
    expect(created.status).toBe(201)
    expect((await fresh.call('GET', '/')).text).not.toContain('sign-up')
  })

  test('200: says where the code is, if the first account needs one', async () => {
    await using coded = await apiServer({ routes: served, env, signUpCode: 'a-code' })
    const { text } = await coded.call('GET', '/')
    expect(text).toContain('the code that the server printed at its start')
    expect(commandIn(text)).toContain('"signUpCode": "CODE"')
    expect(text).not.toContain('a-code')
  })

  test('200: on a server with accounts, leads to the API reference and the refunds', async () => {
    const { text } = await used.call('GET', '/')
    expect(text).not.toContain('curl')
    for (const [path, status] of [
      ['/docs', 200],
      ['/refunds', 303],
    ] as const) {
      expect(text).toContain(`href="${path}"`)
      expect((await used.call('GET', path)).status).toBe(status)
    }
  })

  test('200: in the language of ?lang=, or else of the browser', async () => {
    const titleIn = async (path: string, language = 'en') =>
      /<h1[^>]*>(.*?)<\/h1>/.exec(
        (await used.call('GET', path, { headers: { 'accept-language': language } })).text,
      )?.[1]
    expect(await titleIn('/', 'de-CH')).toBe('Dieser Server nimmt Zahlungen für Shops an')
    expect(await titleIn('/?lang=en', 'de')).toBe('This server takes payments for shops')
  })
})

const folder = fileURLToPath(new URL('../screens/', import.meta.url))

describe.skipIf(!hasBrowser)('the first page in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
    await mkdir(folder, { recursive: true })
  })
  afterAll(() => browser?.close())

  const looks = (['empty', 'used'] as const).flatMap(state =>
    ([360, 1280] as const).flatMap(width =>
      (['light', 'dark'] as const).map(theme => [state, width, theme, theme === 'light' ? 'en' : 'de'] as const),
    ),
  )
  test.each(looks)('%s, %d px wide, %s, in %s, is laid out and accessible', async (state, width, colorScheme, lang) => {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme })
    const page = await context.newPage()
    await page.goto(`${state === 'empty' ? empty.url : used.url}/?lang=${lang}`)
    expect(await faultsOf(page)).toEqual([])
    expect(await axeFaults(page)).toEqual([])
    await page.screenshot({ path: join(folder, `welcome-${state}-${width}-${colorScheme}.png`), fullPage: true })
    await context.close()
  })

  test('a command is copied with the keyboard alone', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(`${empty.url}/?lang=en`)
    const button = page.getByRole('button', { name: 'Copy command' }).first()
    for (let presses = 0; presses < 10; presses++) {
      await page.keyboard.press('Tab')
      if (await button.evaluate(each => each.matches(':focus'))) break
    }
    await page.keyboard.press('Enter')
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('bun run demo')
    await context.close()
  })
})
