import { closeSync, lstatSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isAlive } from './is-alive.ts'
import { giveToOwner, makePrivate } from './private-file.ts'
import { StartError } from './start-error.ts'

export type Hold = { release(): void }

/** What may be done instead of giving the folder to this user. */
const ELSEWHERE = 'set DATA_DIR to another folder'

/** Makes this process the only one that uses the folder, until release or its death. */
export const hold = (folder: string): Hold => {
  let holder: number | undefined
  // Who has just taken it says who they are a moment later, and who is about to end lets go of it.
  for (let tries = 0; tries < 25 && holder === undefined; tries++) {
    if (tries > 0) pause(20)
    const taken = tryHold(folder)
    if (taken) return taken
    holder = holderOf(folder)
  }
  const who = holder === undefined ? 'another process' : `pid ${holder}`
  throw new StartError(`${folder} is in use by ${who}: stop it first, or ${ELSEWHERE}`)
}

/**
 * Undefined when another process has it. The lock is the kernel's, on a file that SQLite opens for us
 * (neither Bun nor Node has flock), so it cannot be left behind by a kill -9 the way a pid file can.
 */
export const tryHold = (folder: string, advice = ELSEWHERE): Hold | undefined => {
  const lock = take(folder, advice)
  if (!lock) return undefined
  held.add(lock)
  const release = () => {
    if (!held.delete(lock)) return
    // Before the lock: afterwards it may be the next one's.
    forgetHolder(folder)
    lock.close()
  }
  try {
    makePrivate(holderFile(folder), `${process.pid} ${beginOf(process.pid)}`)
  } catch (error) {
    release()
    throw unusable(folder, error, advice)
  }
  return { release }
}

const take = (folder: string, advice: string): DatabaseSync | undefined => {
  let lock: DatabaseSync | undefined
  try {
    makeLockFile(folder)
    lock = new DatabaseSync(lockFile(folder))
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (error) {
    lock?.close()
    if (codeOf(error) === BUSY) return undefined
    if (error instanceof StartError) throw error
    throw unusable(folder, error, advice)
  }
}

/**
 * Whoever may read it could hold it too. One that is there is left alone: to open and close it beside SQLite would let
 * go of what this process holds. A link would have SQLite make or lock another file.
 */
const makeLockFile = (folder: string) => {
  const path = lockFile(folder)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) throw new StartError(`${path} is a link: remove it`)
  if (found) return
  try {
    const file = openSync(path, 'ax', 0o600)
    giveToOwner(file, folder)
    closeSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

export const unusable = (folder: string, error: unknown, advice = ELSEWHERE) =>
  new StartError(
    isFull(error)
      ? `${folder} cannot be written to: its disk is full`
      : `${folder} cannot be written to by this user: give it to them, or ${advice}`,
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

/** Undefined where that is not certain: one that was killed has left its number, which another program may have by now. */
const holderOf = (folder: string): number | undefined => {
  const [pid = 0, begin] = read(holderFile(folder)).split(' ')
  return begin !== undefined && beginOf(Number(pid)) === begin ? Number(pid) : undefined
}

const forgetHolder = (folder: string) => {
  try {
    rmSync(holderFile(folder), { force: true })
  } catch {
    // Its reader judges what is left of it.
  }
}

/** What no other process of that number has; '' where it is not told, undefined when there is no such process. */
const beginOf = (pid: number): string | undefined => {
  // The second field is a name in brackets that may hold anything, the third its state, the 22nd when it began.
  const [state, ...later] = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  const ended = state === '' ? !isAlive(pid) : state === 'Z'
  return ended ? undefined : (later[18] ?? '')
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Nothing else is to go on meanwhile: it is a start that waits. */
const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
