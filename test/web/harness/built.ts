import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Web } from '../../../src/pages/web.ts'
import { readWeb } from '../../../src/server/web.ts'
import { build } from '../../../src/web/build.ts'
import { scratch } from '../../harness/scratch.ts'

export const testPath = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** Modules and style sheets of tests, by their paths below `test/web`, built as those of the pages. */
export const buildForTest = async (...names: readonly string[]): Promise<Web> => {
  const folder = mkdtempSync(join(scratch(), 'built-'))
  try {
    await build({ root: testPath('../../'), folder, entries: names.map(testPath) })
    return readWeb(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
