import { expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { kinds } from '../../src/kinds/all.ts'

const folder = new URL('../../src/actors/', import.meta.url)
const files = await Promise.all(
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(async ({ parentPath, name }) => ({ name, text: await readFile(`${parentPath}/${name}`, 'utf8') })),
)

// All that the core needs beside itself: one more is a decision, and one less makes this list shorter.
const needed = [
  '../clock.ts',
  '../ids.ts',
  '../outside.ts',
  '../postgres/connect.ts',
  '../postgres/errors.ts',
  'node:timers/promises',
  'xstate',
]

test('the core imports XState, the small leaves it stands on, and nothing of the product', () => {
  expect(files.length).toBeGreaterThan(0)
  const imports = files.flatMap(({ text }) => [...text.matchAll(/\b(?:from|import|require)\b[\s(]*['"`](.*?)['"`]/g)])
  const others = imports.map(([, from = '']) => from).filter(from => !/^\.\/[\w-]+\.ts$/.test(from))
  expect([...new Set(others)].sort()).toEqual(needed)
})

test('the core names no machine that is put on it, not even where it explains itself', () => {
  const words = kinds.flatMap(({ name, table }) => [name, table]).flatMap(name => name.split('_'))
  expect(words).toContain('payment')
  const naming = new RegExp([...new Set(words)].join('|'), 'i')
  const lines = files.flatMap(({ name, text }) => [name, ...text.split('\n').map(line => `${name}: ${line}`)])
  expect(lines.filter(line => naming.test(line))).toEqual([])
})
