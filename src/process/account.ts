import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, lstatSync, readlinkSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StartError } from './start-error.ts'

/**
 * The user account that Postgres runs as; undefined means the account of this process. Postgres does not run as root,
 * so a process that was started by root uses another account.
 */
export type OsAccount = { readonly name: string; readonly uid: number; readonly gid: number } | undefined

export const isRoot = () => process.getuid?.() === 0

/** The account that owns the cluster. A new cluster gets its own account: `postgres` may belong to another server. */
export const accountFor = (cluster: string): OsAccount => {
  if (!isRoot()) return undefined
  if (existsSync(cluster)) {
    const { uid, gid } = statSync(cluster)
    if (uid !== 0) return { name: accountName(uid), uid, gid }
  }
  return findAccount(POSTGRES_ACCOUNT) ?? createAccount(POSTGRES_ACCOUNT)
}

const POSTGRES_ACCOUNT = 'paymachine'

/** Runs a program as the account and returns whether it succeeded. Tests permissions instead of computing them. */
export const can = (account: OsAccount, program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { ...identity(account), cwd: '/', stdio: 'ignore' }).status === 0

/** Changes the owner of a path. Its folder must not belong to the account, which could replace the path by a link. */
export const give = (path: string, account: OsAccount) => {
  if (account) chownSync(path, account.uid, account.gid)
}

/** Options for spawn() to run a program as the account. */
export const identity = (account: OsAccount) => (account ? { uid: account.uid, gid: account.gid } : {})

/**
 * Writes a file in a folder of the account, with that account's permissions: a link there cannot redirect root's write.
 */
export const writeAs = (account: OsAccount, path: string, text: string) => {
  if (!account) return writeFileSync(path, text)
  if (!can(account, '/bin/sh', '-c', 'printf %s "$1" > "$0"', path, text))
    throw new StartError(`${path} cannot be written to by user ${account.name}`)
}

/** Sends a signal with the account's permissions: the pid comes from a file that the account can write. */
export const signalAs = (account: OsAccount, pid: number, name: NodeJS.Signals) => {
  if (account) return void can(account, '/bin/sh', '-c', 'kill -s "$0" "$1"', name.slice('SIG'.length), String(pid))
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}

/** Throws if root would use a folder that another user can write to or replace: a link there could lead to any file. */
export const requireOwn = (folder: string) => {
  if (!isRoot()) return
  const { uid, mode } = statSync(folder)
  if (uid !== 0)
    throw new StartError(
      `${folder} belongs to user ${accountName(uid)}, and root does not use folders of other users: give it to root, or start as that user`,
    )
  if (mode & OTHERS_WRITE)
    throw new StartError(
      `${folder} can be written to by other users: remove that permission with chmod go-w, or start as an ordinary user`,
    )
  const open = findReplaceable(resolve(folder))
  if (open !== undefined)
    throw new StartError(
      `${folder} can be replaced by users who can write to ${open}: set DATA_DIR to a folder whose parent folders all belong to root, or start as an ordinary user`,
    )
}

const OTHERS_WRITE = 0o022
const STICKY = 0o1000

/** The first part of the path that a user other than root can replace, or a link that such a user has created. */
const findReplaceable = (path: string): string | undefined => {
  const parent = dirname(path)
  if (parent === path) return isOfRoot(path) ? undefined : path
  const above = findReplaceable(parent)
  if (above !== undefined) return above
  const entry = lstatSync(path)
  if (!entry.isSymbolicLink()) return isOfRoot(path) ? undefined : path
  return entry.uid === 0 ? findReplaceable(resolve(realpathSync(parent), readlinkSync(path))) : path
}

/** In a sticky folder, such as /tmp, users can rename and remove only their own files. */
const isOfRoot = (folder: string): boolean => {
  const { uid, mode } = lstatSync(folder)
  return uid === 0 && ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0)
}

export const accountName = (uid: number) => ask('id', '-un', String(uid)) || String(uid)

const findAccount = (name: string): OsAccount => {
  const uid = ask('id', '-u', name)
  const gid = ask('id', '-g', name)
  return uid && gid ? { name, uid: Number(uid), gid: Number(gid) } : undefined
}

const createAccount = (name: string): OsAccount => {
  // Another start may hold the lock of the user database.
  for (let tries = 0; tries < 50; tries++) {
    if (tries > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    // Every Linux has useradd except Alpine, which has addgroup and adduser.
    const { error } = spawnSync('useradd', [
      ...['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', name],
    ])
    if (error) {
      spawnSync('addgroup', ['-S', name])
      spawnSync('adduser', ['-S', '-D', '-H', '-G', name, name])
    }
    const account = findAccount(name)
    if (account) return account
  }
  throw new StartError(
    `Postgres does not run as root, and no user could be created for it: create a user named ${name}, start as an ordinary user, or set DATABASE_URL`,
  )
}

const ask = (program: string, ...args: readonly string[]) =>
  spawnSync(program, args, { encoding: 'utf8' }).stdout?.trim() ?? ''
