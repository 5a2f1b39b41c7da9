import { afterAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { openWeb } from '../../src/server/web.ts'
import { readManifest } from '../../src/web/manifest.ts'
import { scratch } from '../harness/scratch.ts'
import { findRuntime, runtimes } from './runtimes.ts'

const program = fileURLToPath(new URL('web-program.ts', import.meta.url))
const home = mkdtempSync(join(scratch(), 'web-'))
afterAll(() => rmSync(home, { recursive: true }))

test.concurrent.each(Object.keys(runtimes))(
  'on %s a build is served, an old one with a line that says so, and without one the start ends with the command',
  async name => {
    const runtime = await findRuntime(name)
    if (!runtime) return console.warn(`${name} cannot be had here: nothing was tried on it`)
    const run = async (folder: string) => {
      const child = spawn(runtime.command, [...runtime.args, program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
      return (await text(child.stdout)).trim()
    }
    const folder = join(home, name)
    expect(await run(folder)).toBe(
      'StartError: The web pages are not built: run `bun run build` (without Bun: `npx -y bun@1.4.5 src/web/build.ts`), then start again',
    )
    await openWeb({ say: console.log, folder })
    expect(await run(folder)).toBe('/assets/pay')
    const manifest = readManifest(folder)
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, sources: { 'package.json': 'old' } }))
    expect(await run(folder)).toBe(
      'The web pages are older than their sources: run `bun run build`, then start again\n/assets/pay',
    )
  },
  60_000,
)
