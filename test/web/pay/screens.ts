import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../../harness/browser.ts'
import { axeFaults, faultsOf } from './gates.ts'
import { servePages } from './static-pages.ts'

/**
 * Writes pictures of every state of the checkout in both widths and themes, and ends with an error if one of them breaks a
 * rule. `bun run screens pay` writes those whose name begins so.
 */
const folder = fileURLToPath(new URL('../screens/', import.meta.url))
const [start = ''] = process.argv.slice(2)

await using pages = await servePages()
const browser = await openBrowser()
if (start === '') await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
let failures = 0
let pictures = 0
for (const width of [360, 1280])
  for (const colorScheme of ['light', 'dark'] as const)
    for (const name of pages.names.filter(each => each.startsWith(start))) {
      const viewport = { width, height: 800 }
      const context = await browser.newContext({ viewport, colorScheme, locale: 'en-US', timezoneId: 'UTC' })
      const page = await context.newPage()
      await page.goto(`${pages.url}/${name}`)
      // Wallets are looked for during half a second.
      await page.waitForTimeout(600)
      const faults = [...(await faultsOf(page)), ...(await axeFaults(page))]
      for (const fault of faults) console.error(`${name} ${width} ${colorScheme}: ${fault}`)
      failures += faults.length
      const path = join(folder, `${name}-${width}-${colorScheme}.png`)
      await page.screenshot({ path, fullPage: true, timeout: 120_000 })
      pictures++
      await context.close()
    }
await browser.close()
console.log(`${pictures} pictures in ${folder}, ${failures} faults`)
process.exit(failures === 0 ? 0 : 1)
