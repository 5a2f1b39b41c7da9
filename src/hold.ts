import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { giveToOwner } from './private-file.ts'
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
  const lock = open(lockFile(folder))
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    writeFileSync(holderFile(folder), String(process.pid))
    for (const path of [lockFile(folder), holderFile(folder)]) giveToOwner(path)
  } catch (error) {
    lock.close()
    if (codeOf(error) === BUSY) return undefined
    throw unusable(folder, error)
  }
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
  } catch (error) {
    throw unusable(dirname(path), error)
  }
}

const unusable = (folder: string, error: unknown) =>
  new StartError(
    isFull(error)
      ? `${folder} cannot be written to: its disk is full`
      : `${folder} cannot be written to by this user: give it to them, or set DATA_DIR to another folder`,
  )

const isFull = (error: unknown) => codeOf(error) === FULL || (error as NodeJS.ErrnoException).code === 'ENOSPC'

/** SQLite's own numbers, SQLITE_BUSY and SQLITE_FULL. */
const BUSY = 5
const FULL = 13

/** Without the byte above, which says more of some. */
const codeOf = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff

/** Kept from the garbage collector, which would let go of the locks. */
const held = new Set<DatabaseSync>()

const lockFile = (folder: string) => join(folder, 'lock')
const holderFile = (folder: string) => join(folder, 'lock.pid')

const holderOf = (folder: string): string => {
  try {
    return `pid ${readFileSync(holderFile(folder), 'utf8')}`
  } catch {
    return 'another process'
  }
}
