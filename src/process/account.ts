import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, lstatSync, readlinkSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StartError } from './start-error.ts'

/**
 * The account Postgres runs under; undefined is our own. Postgres refuses to be root, so a program
 * started by root lends it another one.
 */
export type OsAccount = { readonly name: string; readonly uid: number; readonly gid: number } | undefined

export const isRoot = () => process.getuid?.() === 0

/** Whoever owns the cluster runs it. A new one gets an account of its own: `postgres` may be a distribution's server. */
export const accountFor = (cluster: string): OsAccount => {
  if (!isRoot()) return undefined
  if (existsSync(cluster)) {
    const { uid, gid } = statSync(cluster)
    if (uid !== 0) return { name: accountName(uid), uid, gid }
  }
  return findAccount(LENT) ?? createAccount(LENT)
}

const LENT = 'paymachine'

/** Runs a program as the account and answers whether it succeeded: permissions are asked, not computed. */
export const can = (account: OsAccount, program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { ...identity(account), cwd: '/', stdio: 'ignore' }).status === 0

/** Of a path that the account cannot replace by a link meanwhile: its folder must not be the account's. */
export const give = (path: string, account: OsAccount) => {
  if (account) chownSync(path, account.uid, account.gid)
}

/** What spawn() needs to run something as the account. */
export const identity = (account: OsAccount) => (account ? { uid: account.uid, gid: account.gid } : {})

/** Writes a file in a folder of the account with that account's rights: a link there leads no further than it may go. */
export const writeAs = (account: OsAccount, path: string, text: string) => {
  if (!account) return writeFileSync(path, text)
  if (!can(account, '/bin/sh', '-c', 'printf %s "$1" > "$0"', path, text))
    throw new StartError(`${path} cannot be written to by user ${account.name}`)
}

/** Sends a signal with the account's rights: a number that the account wrote can name no other user's process. */
export const signalAs = (account: OsAccount, pid: number, name: NodeJS.Signals) => {
  if (account) return void can(account, '/bin/sh', '-c', 'kill -s "$0" "$1"', name.slice('SIG'.length), String(pid))
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}

/** Root works only in a folder that no other user can write to or replace: a link there could lead to any file. */
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

/** The first entry on the way to a folder that a user other than root can exchange or, as a link, has made. */
const findReplaceable = (path: string): string | undefined => {
  const parent = dirname(path)
  if (parent === path) return isOfRoot(path) ? undefined : path
  const above = findReplaceable(parent)
  if (above !== undefined) return above
  const entry = lstatSync(path)
  if (!entry.isSymbolicLink()) return isOfRoot(path) ? undefined : path
  return entry.uid === 0 ? findReplaceable(resolve(realpathSync(parent), readlinkSync(path))) : path
}

/** In a sticky folder, such as /tmp, users can rename and remove only what is theirs. */
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
  // Another start may hold the lock on the list of users.
  for (let tries = 0; tries < 50; tries++) {
    if (tries > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    // The first is everywhere but on Alpine, which has the others.
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
