import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from './start-error.ts'

export type Hold = { release(): void }

/** Makes this process the only one that uses the folder, until release or its death. */
export const hold = (folder: string): Hold => {
  const taken = tryHold(folder)
  if (taken) return taken
  throw new StartError(`${folder} is in use by ${holderOf(folder)}: stop it first, or set DATA_DIR to another folder`)
}

/**
 * Undefined when another process has it. The lock is the kernel's, on a file that SQLite opens for us
 * (neither Bun nor Node has flock), so it cannot be left behind by a kill -9 the way a pid file can.
 */
export const tryHold = (folder: string): Hold | undefined => {
  const lock = open(join(folder, 'lock'))
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    if (codeOf(error) === busy) return undefined
    throw unusable(folder)
  }
  writeFileSync(holderFile(folder), String(process.pid))
  held.add(lock)
  return {
    release: () => {
      if (held.delete(lock)) lock.close()
    },
  }
}

const open = (path: string): DatabaseSync => {
  try {
    return new DatabaseSync(path)
  } catch {
    throw unusable(dirname(path))
  }
}

const unusable = (folder: string) =>
  new StartError(`${folder} cannot be written to by this user: give it to them, or set DATA_DIR to another folder`)

/** SQLite's own number, SQLITE_BUSY. */
const busy = 5

const codeOf = (error: unknown) => (error as { errcode?: number }).errcode

/** Kept from the garbage collector, which would let go of the locks. */
const held = new Set<DatabaseSync>()

const holderFile = (folder: string) => join(folder, 'lock.pid')

const holderOf = (folder: string): string => {
  try {
    return `pid ${readFileSync(holderFile(folder), 'utf8')}`
  } catch {
    return 'another process'
  }
}
