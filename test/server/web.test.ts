import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWeb } from '../../src/server/web.ts'
import { readManifest } from '../../src/web/manifest.ts'
import { scratch } from '../harness/scratch.ts'

const home = mkdtempSync(join(scratch(), 'web-'))
afterAll(() => rmSync(home, { recursive: true }))

const silent = () => {}

test('a missing build is made, and one whose sources have not changed is taken as it is', async () => {
  const folder = join(home, 'first')
  const web = await openWeb({ say: silent, folder })
  const address = web.asset('pay/main.ts')
  expect(address).toMatch(/^\/assets\/main-[a-z0-9]+\.js$/)
  expect(web.file(address.slice('/assets/'.length))?.type).toBe('text/javascript; charset=utf-8')
  expect(() => web.asset('pay/other.ts')).toThrow('src/web/pay/other.ts is not an entry of the build')
  const built = statSync(join(folder, 'manifest.json')).mtimeMs
  expect((await openWeb({ say: silent, folder })).asset('pay/main.ts')).toBe(address)
  expect(statSync(join(folder, 'manifest.json')).mtimeMs).toBe(built)
})

test('a build from other sources is replaced, and the files of the one before are kept until the next', async () => {
  const folder = join(home, 'second')
  await openWeb({ say: silent, folder })
  const manifest = readManifest(folder)
  const [path = ''] = Object.keys(manifest?.sources ?? {})
  const old = { ...manifest, sources: { ...manifest?.sources, [path]: 'another hash' } }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(old))
  writeFileSync(join(folder, 'main-00000000.js'), '')
  await openWeb({ say: silent, folder })
  expect(readManifest(folder)).toEqual(manifest)
  expect(readdirSync(folder)).not.toContain('main-00000000.js')
})

test('many processes build at the same time, and each reads a whole build', async () => {
  const folder = join(home, 'third')
  const webs = await Promise.all(Array.from({ length: 8 }, () => openWeb({ say: silent, folder })))
  expect(new Set(webs.map(web => web.asset('pay/pay.css'))).size).toBe(1)
  expect(new Set(webs.map(web => web.styleText('pay/pay.css'))).size).toBe(1)
  expect(readdirSync(folder).filter(name => name.startsWith('.'))).toEqual([])
})

test('a folder that cannot be written to is named, and the pages are there', async () => {
  // Below a file: root may write to every folder.
  writeFileSync(join(home, 'file'), '')
  const folder = join(home, 'file', 'web')
  const lines: string[] = []
  const web = await openWeb({ say: line => lines.push(line), folder })
  expect(web.styleText('pay/pay.css')).toContain('--ground')
  expect(lines).toEqual([`The web pages are built at every start, because this user cannot write to ${folder}`])
})
