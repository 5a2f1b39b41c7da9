import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { serve } from 'bun'
import type { Page } from 'playwright-core'
import type { WholeText } from '../../../src/pages/answer.ts'
import type { Web } from '../../../src/pages/web.ts'
import { openWeb } from '../../../src/server/web.ts'
import type { Locale } from '../../../src/web/text/locale.ts'
import { openBrowser } from '../../harness/browser.ts'
import { axeFaults, faultsOf } from '../pay/gates.ts'
import { testPath } from './built.ts'

/** What the API answers. */
export type SampleData = 'full' | 'empty' | 'loading' | 'failed'

export type PictureView = {
  readonly data?: SampleData | undefined
  /** Done before the picture is taken. */
  readonly act?: ((page: Page) => Promise<unknown>) | undefined
}

type PictureOptions<View> = {
  /** Begins the names of the pictures. */
  readonly surface: string
  readonly views: Readonly<Record<string, View>>
  /** Answers the calls of the page with samples. */
  readonly answer: (page: Page, view: View) => Promise<unknown>
  /** Without the origin. */
  readonly pathOf: (view: View) => string
  /** The frame of the pages. */
  readonly frame: (web: Web, locale: Locale, url: URL) => WholeText
  /** Answers other addresses, such as a stream that does not end. */
  readonly serve?: (url: URL) => Response | undefined
}

/**
 * Writes pictures of pages in both widths, themes and languages, and ends with an error if one breaks a rule of layout or
 * accessibility. The arguments of the program choose those whose name contains all of these words.
 */
export const takePictures = async <View extends PictureView>(options: PictureOptions<View>): Promise<never> => {
  const { surface, views, answer, pathOf } = options
  await using server = serveFrame(await openWeb({ say: console.log }), options)
  const folder = testPath('screens/')
  await mkdir(folder, { recursive: true })
  const chosen = picturesOf(surface, views).filter(fits)
  const browser = await openBrowser()
  let failures = 0
  for (const { view, width, colorScheme, lang, name } of chosen) {
    const context = await browser.newContext({
      ...{ viewport: { width, height: 800 }, colorScheme, timezoneId: 'Europe/Berlin' },
      locale: lang === 'de' ? 'de-DE' : 'en-US',
    })
    const page = await context.newPage()
    page.on('pageerror', error => console.error(`${name}: ${error.message}`))
    await answer(page, view)
    await page.goto(`${server.url.origin}${pathOf(view)}`)
    await page.locator('h1').first().waitFor()
    // A list that never arrives keeps the network busy.
    await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
    // The browser tries again first.
    if (view.data === 'failed') await page.getByRole('alert').first().waitFor({ timeout: 20_000 })
    await view.act?.(page)
    await page.waitForTimeout(400)
    const faults = [...(await faultsOf(page)), ...(await axeFaults(page))]
    for (const fault of faults) console.error(`${name}: ${fault}`)
    failures += faults.length
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, timeout: 120_000 })
    await context.close()
  }
  await browser.close()
  console.log(`${chosen.length} pictures in ${folder}, ${failures} faults`)
  process.exit(failures === 0 ? 0 : 1)
}

const picturesOf = <View>(surface: string, views: Readonly<Record<string, View>>) =>
  Object.entries(views).flatMap(([key, view]) =>
    [360, 1280].flatMap(width =>
      (['light', 'dark'] as const).flatMap(colorScheme =>
        (['en', 'de'] as const).map(lang => ({
          ...{ key, view, width, colorScheme, lang },
          name: [surface, key, width, colorScheme, lang].join('-'),
        })),
      ),
    ),
  )

const words = process.argv.slice(2)

/** A word with a closing colon is the whole name of a view. */
const fits = ({ name, key }: { name: string; key: string }): boolean =>
  words.every(word => (word.endsWith(':') ? key === word.slice(0, -1) : name.split('-').includes(word) || key === word))

const serveFrame = (web: Web, { frame, serve: other }: Pick<PictureOptions<never>, 'frame' | 'serve'>) =>
  serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: request => {
      const url = new URL(request.url)
      const others = other?.(url)
      if (others) return others
      const file = web.file(url.pathname.split('/').at(-1) ?? '')
      if (file) return new Response(file.identity, { headers: { 'content-type': file.type } })
      const locale = request.headers.get('accept-language')?.startsWith('de') ? 'de' : 'en'
      const { text, headers } = frame(web, locale, url)
      return new Response(text, { headers: Object(headers) })
    },
  })

/** A list of records, as the API answers it. */
export const sampleList = (records: readonly unknown[], data: SampleData) => ({
  object: 'list',
  data: data === 'empty' ? [] : records,
  has_more: data === 'full',
})

export const sampleFailure = {
  error: { code: 'service_unavailable', message: '', requestId: '019abc00-5d00-7c3e-9a51-1f2f5fd7b0aa' },
}
