import { afterAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kinds } from '../src/kinds/all.ts'
import { scratch } from './harness/scratch.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * The folders from bottom to top. A file may import from its own folder and from folders above it in this list; types
 * count too. If a file needs something from further down the list, one of the two is in the wrong folder.
 */
const folders = [
  'src/process',
  'src/web',
  'src/postgres',
  'src',
  'src/actors',
  'machines',
  'src/chain/contracts',
  'src/chain',
  'src/chain/rpc',
  'src/chain/known',
  'src/chain/quotes',
  'src/chain/enabled',
  'src/chain/collect',
  'src/chain/recovery',
  'src/fields',
  'src/billing',
  'src/analytics',
  'src/kinds',
  'src/queries',
  'src/queries/ops',
  'src/workers',
  'src/chain/watch/native',
  'src/chain/watch',
  'src/chain/refunds',
  'src/sandbox',
  'src/deployment',
  'src/access',
  'src/webhooks',
  'src/commands',
  'src/sandbox/simulate',
  'src/collect',
  'src/signer',
  'src/rekey',
  'src/audit/rules',
  'src/audit/chain',
  'src/audit',
  'tasks',
  'src/records',
  'src/records/shapes',
  'src/web/text',
  'src/web/text/errors',
  'src/web/text/checkout',
  'src/web/text/claims',
  'src/web/text/problems',
  'src/web/text/welcome',
  'src/web/text/parts',
  'src/web/text/dashboard',
  'src/web/text/ops',
  'src/billing/document/text',
  'src/billing/document',
  'src/web/parts',
  'src/web/api',
  'src/web/wallets',
  'src/web/dashboard/shell',
  'src/web/dashboard/exports',
  'src/web/dashboard/secrets',
  'src/web/dashboard/account',
  'src/web/dashboard/event-types',
  'src/web/dashboard/postal-address',
  'src/web/dashboard/deliveries',
  'src/web/dashboard/events',
  'src/web/dashboard/sandbox',
  'src/web/dashboard/members',
  'src/web/dashboard/invite',
  'src/web/dashboard/settings',
  'src/web/dashboard/audit-log',
  'src/web/dashboard/analytics',
  'src/web/dashboard/links',
  // Payments, refunds and customers name the invoices and credit notes that they belong to.
  'src/web/dashboard/billing-records',
  'src/web/dashboard/refunds',
  'src/web/dashboard/disputes',
  'src/web/dashboard/balances',
  'src/web/dashboard/webhooks',
  'src/web/dashboard/payments',
  'src/web/dashboard/customers',
  // The time of a customer.
  'src/web/dashboard/test-clocks/use-clock.ts',
  'src/web/dashboard/invoices',
  'src/web/dashboard/plans',
  'src/web/dashboard/test-clocks',
  'src/web/dashboard/subscriptions',
  // It shows the subscriptions of a plan.
  'src/web/dashboard/plans/plan-page.tsx',
  // It shows the records of a customer, of all kinds.
  'src/web/dashboard/customers/customer-page.tsx',
  'src/web/dashboard/keys',
  'src/web/dashboard/home',
  'src/web/dashboard/find',
  'src/web/dashboard',
  'src/web/ops/shell',
  'src/web/ops/health',
  'src/web/ops/engine',
  'src/web/ops/machines',
  'src/web/ops/actors',
  'src/web/ops/tail',
  'src/web/ops',
  'src/web/claim',
  'src/web/pay',
  'src/web/receipt',
  'src/web/welcome',
  'src/pages',
  'src/pages/checkout',
  'src/pages/claims',
  'src/http/docs',
  'src/http',
  'src/http/openapi',
  'src/http/ops',
  'src/http/exports',
  // The table of all routes.
  'src/http/routes.ts',
  'src/pages/docs',
  'src/server',
  'src/admin',
  // The entry point starts everything; package.json and the README name its place.
  'src/main.ts',
  // Receivers copy it: it imports nothing of ours.
  'src/verify-webhook',
  'src/demo',
  'src/inspector',
]

/** The files that each file imports, by their paths from the root. */
type Imports = ReadonlyMap<string, readonly string[]>

const sources = ['src', 'machines', 'tasks']

const readImports = async (base: string): Promise<Imports> => {
  const imports = new Map<string, readonly string[]>()
  for (const source of sources) {
    const entries = await readdir(join(base, source), { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (!entry.isFile() || !/\.[jt]sx?$/.test(entry.name)) continue
      const path = join(entry.parentPath, entry.name)
      imports.set(relative(base, path), importsIn(await readFile(path, 'utf8'), relative(base, path)))
    }
  }
  return imports
}

/** By the text of the file: every `import`, `import type`, `export … from` and `import()` of a path. */
const importsIn = (text: string, file: string): readonly string[] =>
  [
    ...text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '').matchAll(/\b(?:from|import)\b[\s(]*['"](\.[^'"]+\.[jt]sx?)['"]/g),
  ].map(([, path = '']) => join(dirname(file), path))

/** The position of a file in the list of folders, or -1. The texts of a section are where those of the dashboard are. */
const rankOf = (file: string): number => {
  const rank = folders.indexOf(file)
  const folder = dirname(file).replace(/^(src\/web\/text\/dashboard)\/[^/]+$/, '$1')
  return rank < 0 ? folders.indexOf(folder) : rank
}

const upwardIn = (imports: Imports): readonly string[] =>
  [...imports].flatMap(([file, imported]) =>
    imported.filter(each => rankOf(each) > rankOf(file)).map(each => `${file} imports ${each}`),
  )

/** The circles, each as a list of its files; every file is visited once. */
const circlesIn = (imports: Imports): readonly string[] => {
  const circles: string[] = []
  const done = new Set<string>()
  const walk = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) circles.push([...path.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    for (const each of imports.get(file) ?? []) walk(each, [...path, file])
    done.add(file)
  }
  for (const file of imports.keys()) walk(file, [])
  return circles
}

const imports = await readImports(root)

test('every source file is in a folder of the list', () => {
  expect(imports.size).toBeGreaterThan(500)
  expect([...imports.keys()].filter(file => rankOf(file) < 0)).toEqual([])
  const used = new Set([...imports.keys()].map(rankOf))
  expect(folders.filter((_, rank) => !used.has(rank))).toEqual([])
})

test('no file imports itself through others, types included', () => {
  expect(circlesIn(imports)).toEqual([])
})

test('no file imports from a folder above its own, types included', () => {
  expect(upwardIn(imports)).toEqual([])
})

test('machines import only XState and each other', () => {
  const others = [...imports].flatMap(([file, imported]) =>
    file.startsWith('machines/') ? imported.filter(each => !each.startsWith('machines/')) : [],
  )
  expect(others).toEqual([])
})

test('an added circle and an added upward import are found, also with types only', async () => {
  const added = await mkdtemp(join(scratch(), 'imports-'))
  afterAll(() => rm(added, { recursive: true }))
  const files = {
    'src/queries/one.ts': "import type { Two } from './two.ts'\n",
    'src/queries/two.ts': "export type { Three } from './three.ts'\n",
    'src/queries/three.ts': "// import './four.ts'\nconst one = await import('./one.ts')\n",
    'src/queries/four.ts': "import {\n  type Route,\n} from '../http/route.ts'\n",
    'src/http/route.ts': "import '../queries/one.ts'\n",
    'machines/payment.ts': "import type { Actor } from '../src/actors/kind.ts'\n",
    'src/actors/kind.ts': "import type { Payment } from '../../machines/payment-events.ts'\n",
    'machines/payment-events.ts': '',
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(added, path)), { recursive: true })
    await writeFile(join(added, path), text)
  }
  const found = await readImports(added)
  expect(circlesIn(found)).toEqual([
    'src/queries/one.ts → src/queries/two.ts → src/queries/three.ts → src/queries/one.ts',
  ])
  expect([...upwardIn(found)].sort()).toEqual([
    'src/actors/kind.ts imports machines/payment-events.ts',
    'src/queries/four.ts imports src/http/route.ts',
  ])
})

// Everything that the core needs besides itself. Adding something is a decision.
const neededByActors = [
  'node:crypto',
  'node:timers/promises',
  'src/clock.ts',
  'src/dependencies.ts',
  'src/ids.ts',
  'src/postgres/connect.ts',
  'src/postgres/errors.ts',
  'xstate',
]

const actors = [...imports.keys()].filter(file => file.startsWith('src/actors/'))

test('the actors import only XState and the modules they are built on, and nothing of the product', async () => {
  const packages = await Promise.all(
    actors.map(async file => {
      const text = await readFile(join(root, file), 'utf8')
      return [...text.matchAll(/\b(?:from|import|require)\b[\s(]*['"`]([^.'"`][^'"`]*)['"`]/g)].map(
        ([, from = '']) => from,
      )
    }),
  )
  const files = actors.flatMap(file => imports.get(file) ?? []).filter(each => !each.startsWith('src/actors/'))
  expect([...new Set([...packages.flat(), ...files])].sort()).toEqual(neededByActors)
})

test('the actors name no machine of the product, not even in a comment', async () => {
  // Test clocks are a source of time of the core itself.
  const named = kinds.filter(({ name }) => name !== 'test_clock')
  const words = named.flatMap(({ name, table }) => [name, table]).flatMap(name => name.split('_'))
  expect(words).toContain('payment')
  // The core plans what timers cause: here the name of a machine is an ordinary verb.
  const naming = new RegExp([...new Set(words)].filter(word => !/^plans?$/.test(word)).join('|'), 'i')
  const lines = await Promise.all(
    actors.map(async file => (await readFile(join(root, file), 'utf8')).split('\n').map(line => `${file}: ${line}`)),
  )
  expect(lines.flat().filter(line => naming.test(line))).toEqual([])
})
