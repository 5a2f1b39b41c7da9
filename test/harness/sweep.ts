import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sharedHome } from '../../src/postgres/cluster-location.ts'
import { findPostmaster } from '../../src/postgres/server.ts'
import { tryLockDataFolder } from '../../src/process/data-folder-lock.ts'

/** Removes what killed test runs left more than an hour ago. */
export const sweep = (folder: string) => {
  for (const name of readdirSync(folder)) {
    if (!/^paymachine-(test|data|closed)-\w{6}$/.test(name)) continue
    const home = join(folder, name)
    try {
      const old = Date.now() - statSync(home).mtimeMs > 3_600_000
      const places = placesOf(home)
      if (!old || places.some(isRunning)) continue
      // Before the links to them are removed: without links these clusters would not be found.
      if (!places.every(removeElsewhere)) continue
      rmSync(programsOf(home), { recursive: true, force: true })
      rmSync(home, { recursive: true, force: true })
    } catch {
      // It belongs to another user, or another process is removing it now.
    }
  }
}

/** Where a closed clone, made by a test, keeps its Postgres programs, if they have its version. */
export const programsOf = (clone: string) => join(sharedHome, `postgres-${basename(clone)}`)

/** Where clusters can be: the folder is a cluster, a data folder, or contains data folders. */
const placesOf = (home: string): readonly string[] => {
  const inside = readdirSync(home, { withFileTypes: true }).filter(entry => entry.isDirectory())
  const dataFolders = [home, ...inside.map(({ name }) => join(home, name))]
  return [home, ...dataFolders.map(each => join(each, 'postgres'))]
}

const isRunning = (place: string) => existsSync(place) && findPostmaster(realpathSync(place)) !== undefined

/** Removes what our own link points to in the shared home; false when a process locks it. Everything else is kept. */
const removeElsewhere = (place: string): boolean => {
  const link = lstatSync(place, { throwIfNoEntry: false })
  // The link of another user could point to the database of a running instance.
  if (!link?.isSymbolicLink() || link.uid !== process.getuid?.()) return true
  const home = readlinkSync(place)
  if (dirname(home) !== sharedHome || !/^[0-9a-f]{8}$/.test(basename(home)) || !existsSync(home)) return true
  const held = tryLockDataFolder(home)
  if (!held) return false
  rmSync(home, { recursive: true, force: true })
  held.release()
  return true
}
