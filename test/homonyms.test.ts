import { expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

// The scripts of pages (.js) are not read: they run in a browser and import nothing of the server.
const root = fileURLToPath(new URL('../', import.meta.url))

/** Names that several files may export, with the reason. */
const allowed: ReadonlyMap<string, string> = new Map()

/** Types of the API document, which are named as their records are. */
const generated = ['src/web/api/calls.ts', 'src/web/api/ops-calls.ts']

type Sources = ReadonlyMap<string, string>

const readSources = async (): Promise<Sources> => {
  const sources = new Map<string, string>()
  for (const folder of ['src', 'machines', 'tasks'])
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || generated.some(file => path.endsWith(file))) continue
      sources.set(relative(root, path), await readFile(path, 'utf8'))
    }
  return sources
}

const declared = /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|type|interface) (\w+)/gm

/** Each name that several files declare and export, in a line with the files. */
const homonymsIn = (sources: Sources): readonly string[] => {
  const files = new Map<string, Set<string>>()
  for (const [file, text] of sources)
    for (const [, name = ''] of text.matchAll(declared)) files.set(name, (files.get(name) ?? new Set()).add(file))
  return [...files].filter(([, { size }]) => size > 1).map(([name, where]) => `${name}: ${[...where].join(', ')}`)
}

test('each exported name is declared by one file, so that it has one meaning', async () => {
  const sources = await readSources()
  expect(sources.size).toBeGreaterThan(500)
  const found = homonymsIn(sources)
  const nameIn = (line: string) => line.split(':')[0] ?? ''
  expect(found.filter(line => !allowed.has(nameIn(line)))).toEqual([])
  expect([...allowed.keys()].filter(name => !found.some(line => nameIn(line) === name))).toEqual([])
})

test('a second declaration of a name is found, of any kind', () => {
  const one = 'export type Claim = string\nconst once = 1\nexport const send = async () => {}\n'
  const two = 'type Claim = string\nexport const once = 1\nexport async function send() {}\n'
  const three = 'export class Claim {}\n// export const once = 1\n'
  expect(homonymsIn(new Map(Object.entries({ 'one.ts': one, 'two.ts': two, 'three.ts': three })))).toEqual([
    'Claim: one.ts, three.ts',
    'send: one.ts, two.ts',
  ])
})
