import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sharedHome } from '../../src/postgres/place.ts'
import { findPostmaster } from '../../src/postgres/server.ts'
import { tryLockDataFolder } from '../../src/process/data-folder-lock.ts'

/** A test run that is killed cannot remove everything it made, so an hour later another one does. */
export const sweep = (folder: string) => {
  for (const name of readdirSync(folder)) {
    if (!/^paymachine-(test|data|closed)-\w{6}$/.test(name)) continue
    const home = join(folder, name)
    try {
      const old = Date.now() - statSync(home).mtimeMs > 3_600_000
      const places = placesOf(home)
      if (!old || places.some(isRunning)) continue
      // While the links that lead there still stand: without them nobody would find it.
      if (!places.every(removeElsewhere)) continue
      rmSync(programsOf(home), { recursive: true, force: true })
      rmSync(home, { recursive: true, force: true })
    } catch {
      // Another user's, or swept by another run at this moment.
    }
  }
}

/** Where a closed clone that a test made has its programs, once it is their version. */
export const programsOf = (clone: string) => join(sharedHome, `postgres-${basename(clone)}`)

/** Where the clusters of a test may be: it is one, it is a data folder, or data folders are in it. */
const placesOf = (home: string): readonly string[] => {
  const inside = readdirSync(home, { withFileTypes: true }).filter(entry => entry.isDirectory())
  const dataFolders = [home, ...inside.map(({ name }) => join(home, name))]
  return [home, ...dataFolders.map(each => join(each, 'postgres'))]
}

const isRunning = (place: string) => existsSync(place) && findPostmaster(realpathSync(place)) !== undefined

/** What one of our links leads to in the shared home; false when a process has it. Anything else stays where it is. */
const removeElsewhere = (place: string): boolean => {
  const link = lstatSync(place, { throwIfNoEntry: false })
  // Who is not us could lead us to the database of an instance.
  if (!link?.isSymbolicLink() || link.uid !== process.getuid?.()) return true
  const home = readlinkSync(place)
  if (dirname(home) !== sharedHome || !/^[0-9a-f]{8}$/.test(basename(home)) || !existsSync(home)) return true
  const held = tryLockDataFolder(home)
  if (!held) return false
  rmSync(home, { recursive: true, force: true })
  held.release()
  return true
}
