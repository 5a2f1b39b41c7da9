import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { tryLockDataFolder, unusableFolder } from './data-folder-lock.ts'
import { StartError } from './start-error.ts'

/**
 * Installs missing packages before everything else, so that a fresh clone starts with one command. It imports no package
 * that has to be installed.
 */
const install = async () => {
  const wanted = hashOf(['bun.lock', 'package.json', 'src/postgres/postgres@3.4.9.patch'])
  if (read('node_modules/.installed') === wanted) return
  const folder = makeFolder()
  let held = tryLockDataFolder(folder, advice)
  if (!held) console.log('Another start is installing the packages: waiting for it')
  for (; !held; held = tryLockDataFolder(folder, advice)) await sleep(200)
  // Another start may have installed them in the meantime.
  if (read('node_modules/.installed') !== wanted) {
    console.log('Installing what is missing (once, it takes a moment)')
    const { status } = spawnSync(process.execPath, ['install', '--frozen-lockfile'], {
      cwd: path('.'),
      stdio: 'inherit',
    })
    if (status !== 0) throw new StartError('The installation failed, see the output above. Run `bun install`')
    writeFileSync(path('node_modules/.installed'), wanted)
  }
  held.release()
}

/** Another data folder would not help here. */
const advice = 'run this as its owner'

const makeFolder = (): string => {
  try {
    mkdirSync(path('node_modules'), { recursive: true })
    return path('node_modules')
  } catch (error) {
    throw unusableFolder(resolve(path('.')), error, advice)
  }
}

const hashOf = (names: readonly string[]): string => {
  const hash = createHash('sha256')
  for (const name of names) hash.update(read(name))
  return hash.digest('hex')
}

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))

const read = (name: string): string => {
  try {
    return readFileSync(path(name), 'utf8')
  } catch {
    return ''
  }
}

try {
  await install()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
