import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { locales } from '../../../src/web/text/locale.ts'
import { openBrowser } from '../../harness/browser.ts'
import { axeFaults, faultsOf } from './gates.ts'
import { servePages } from './static-pages.ts'

/**
 * Writes pictures of every state of the checkout in both widths, themes and languages, and ends with an error if one of them
 * breaks a rule. `bun run screens pay-ether 1280 dark` writes those whose name contains all of these words.
 */
const folder = fileURLToPath(new URL('../screens/', import.meta.url))
const words = process.argv.slice(2)

await using pages = await servePages()
const all = [360, 1280].flatMap(width =>
  (['light', 'dark'] as const).flatMap(colorScheme =>
    locales.flatMap(lang =>
      pages.names.map(state => ({
        ...{ width, colorScheme, lang, state },
        name: [state, width, colorScheme, ...(lang === 'en' ? [] : [lang])].join('-'),
      })),
    ),
  ),
)
const chosen = all.filter(({ name }) => words.every(word => name.includes(word)))
const browser = await openBrowser()
if (words.length === 0) await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
let failures = 0
for (const { width, colorScheme, lang, state, name } of chosen) {
  const viewport = { width, height: 800 }
  const context = await browser.newContext({ viewport, colorScheme, locale: 'en-US', timezoneId: 'UTC' })
  const page = await context.newPage()
  await page.goto(`${pages.url}/${state}?lang=${lang}`)
  // Wallets are looked for during half a second.
  await page.waitForTimeout(600)
  const faults = [...(await faultsOf(page)), ...(await axeFaults(page))]
  for (const fault of faults) console.error(`${name}: ${fault}`)
  failures += faults.length
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, timeout: 120_000 })
  await context.close()
}
await browser.close()
console.log(`${chosen.length} pictures in ${folder}, ${failures} faults`)
process.exit(failures === 0 ? 0 : 1)
