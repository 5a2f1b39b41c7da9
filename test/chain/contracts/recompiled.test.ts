import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { compile, contractFolders } from '../../../src/chain/contracts/compile.ts'

const folders = contractFolders().map(folder => relative(process.cwd(), folder))

test.each(folders)('the committed artifacts in %s are those of its sources', folder => {
  const compiled = compile(folder)
  for (const [name, text] of compiled) expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
  const files = readdirSync(folder).filter(name => name.endsWith('.json'))
  expect(files.toSorted()).toEqual([...compiled.keys()].toSorted())
})
