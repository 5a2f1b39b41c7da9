import { beforeAll, describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { openWeb } from '../../../src/server/web.ts'
import { findEntries, type Manifest, readManifest, WEB_FOLDER } from '../../../src/web/manifest.ts'
import { servePages } from '../pay/static-pages.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Kilobytes of 1,024 bytes, gzip: modules of the first load, the largest lazy chunk, the style sheet. */
type Budget = { readonly js: number; readonly lazy: number; readonly css: number }

const document: Budget = { js: 20, lazy: 5, css: 6 }

/** By folder of src/web. A new surface gets a row before it gets a byte. */
const budgets: Readonly<Record<string, Budget>> = {
  pay: document,
  receipt: document,
  invoice: document,
  claim: document,
  notice: document,
  welcome: document,
  dashboard: { js: 60, lazy: 30, css: 12 },
  ops: { js: 70, lazy: 30, css: 12 },
}

/** Packages whose code reaches a browser. To add one is a decision about every visit. */
const packages = [
  '@preact/signals',
  '@preact/signals-core',
  '@tanstack/query-core',
  'preact',
  'preact-iso',
  'qr',
  'xstate',
]

/** Computed by the same functions in the editor of invoices and on the server. They need nothing of either. */
const shared = [
  ...[
    'credit-note-sums',
    'days',
    'document-number',
    'invoice-dates',
    'invoice-sums',
    'periods',
    'quantity',
    'rounding',
  ],
  ...['document/party', 'document/text/de', 'document/text/en', 'document/values', 'document/wording'],
].map(name => `src/billing/${name}.ts`)

let manifest: Manifest

beforeAll(async () => {
  await openWeb({ say: console.log })
  const read = readManifest(root + WEB_FOLDER)
  if (!read) throw new Error('there is no build')
  manifest = read
})

const gzipOf = (name: string): number =>
  manifest.files.find(file => file.name === name)?.gzip ?? Number.POSITIVE_INFINITY

const sum = (names: readonly string[]): number => names.reduce((total, name) => total + gzipOf(name), 0)

describe.each(findEntries(root))('%s', entry => {
  test('is within the budget of its surface', () => {
    const [surface = ''] = entry.split('/')
    const budget = budgets[surface]
    if (!budget) return expect.unreachable(`${surface} has no budget`)
    const { file, imports, lazy } = manifest.entries[entry] ?? { file: '', imports: [], lazy: [] }
    const limit = entry.endsWith('.css') ? budget.css : budget.js
    expect(sum([file, ...imports])).toBeLessThanOrEqual(limit * 1_024)
    expect(Math.max(0, ...lazy.map(gzipOf))).toBeLessThanOrEqual(budget.lazy * 1_024)
  })
})

/** Compressed, with the style sheet. The largest page has two QR codes. */
const MOST_PAGE_BYTES = 15 * 1_024

test('every page of a customer is at most 15 KB', async () => {
  await using pages = await servePages()
  const sizes = await Promise.all(
    pages.names.map(
      async name => [name, Bun.gzipSync(await (await fetch(`${pages.url}/${name}`)).text()).length] as const,
    ),
  )
  expect(sizes.length).toBeGreaterThan(80)
  expect(sizes.filter(([, bytes]) => bytes > MOST_PAGE_BYTES)).toEqual([])
})

test('what reaches a browser is written for browsers: nothing of the server, and no package by chance', () => {
  const builders = /^(bun\.lock|(src\/web\/)?tsconfig\.json|src\/web\/(build|bundle-css)\.ts)$/
  const sources = Object.keys(manifest.sources).filter(path => !builders.test(path))
  expect(sources.filter(path => !path.startsWith('src/web/') && !shared.includes(path))).toEqual([])
  expect(manifest.packages.filter(name => !packages.includes(name))).toEqual([])
})
