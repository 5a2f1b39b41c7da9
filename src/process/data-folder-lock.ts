import { closeSync, lstatSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isAlive } from './is-alive.ts'
import { giveToOwner, makePrivate } from './private-file.ts'
import { StartError } from './start-error.ts'

export type DataFolderLock = { release(): void }

/** The alternative to giving the folder to this user. */
const ELSEWHERE = 'set DATA_DIR to another folder'

/** Locks the folder for this process, until release or the end of the process. */
export const lockDataFolder = (folder: string): DataFolderLock => {
  let holder: number | undefined
  // The holder writes its pid shortly after it takes the lock; a process that is ending releases the lock soon.
  for (let tries = 0; tries < 25 && holder === undefined; tries++) {
    if (tries > 0) pause(20)
    const taken = tryLockDataFolder(folder)
    if (taken) return taken
    holder = holderOf(folder)
  }
  const who = holder === undefined ? 'another process' : `pid ${holder}`
  throw new StartError(`${folder} is in use by ${who}: stop it first, or ${ELSEWHERE}`)
}

/**
 * Undefined if another process holds the lock. It is a kernel lock on a file that SQLite opens (neither Bun nor Node has
 * flock), so it does not survive a kill -9 as a pid file would.
 */
export const tryLockDataFolder = (folder: string, advice = ELSEWHERE): DataFolderLock | undefined => {
  const lock = openLock(folder, advice)
  if (!lock) return undefined
  locks.add(lock)
  const release = () => {
    if (!locks.delete(lock)) return
    // Before the lock is released: afterwards the file may belong to the next holder.
    forgetHolder(folder)
    lock.close()
  }
  try {
    makePrivate(holderFile(folder), `${process.pid} ${beginOf(process.pid)}`)
  } catch (error) {
    release()
    throw unusableFolder(folder, error, advice)
  }
  return { release }
}

const openLock = (folder: string, advice: string): DatabaseSync | undefined => {
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
    throw unusableFolder(folder, error, advice)
  }
}

/**
 * Private, because a user who can read the file could lock it. An existing file is not opened: closing it would release the
 * lock of this process. A link is refused, because SQLite would create or lock another file.
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

export const unusableFolder = (folder: string, error: unknown, advice = ELSEWHERE) =>
  new StartError(
    isFull(error)
      ? `${folder} cannot be written to: the disk is full`
      : `${folder} cannot be written to by this user: change its owner, or ${advice}`,
  )

const isFull = (error: unknown) => codeOf(error) === FULL || (error as NodeJS.ErrnoException).code === 'ENOSPC'

/** SQLITE_BUSY and SQLITE_FULL. */
const BUSY = 5
const FULL = 13

/** The primary result code, without the extended part. */
const codeOf = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff

/** References that protect the locks from the garbage collector. */
const locks = new Set<DatabaseSync>()

const lockFile = (folder: string) => join(folder, 'lock')
const holderFile = (folder: string) => join(folder, 'lock.pid')

/** Undefined if it is not certain: a killed process leaves its pid, which another program may have by now. */
const holderOf = (folder: string): number | undefined => {
  const [pid = 0, begin] = read(holderFile(folder)).split(' ')
  return begin !== undefined && beginOf(Number(pid)) === begin ? Number(pid) : undefined
}

const forgetHolder = (folder: string) => {
  try {
    rmSync(holderFile(folder), { force: true })
  } catch {
    // The reader of the file checks whether it is still valid.
  }
}

/** Start time, which differs between processes with the same pid; '' if it is not known, undefined if there is no such process. */
const beginOf = (pid: number): string | undefined => {
  // The second field is a name in brackets with any content, the third the state, the 22nd the start time.
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

/** Blocks the thread: a start has nothing else to do. */
const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
