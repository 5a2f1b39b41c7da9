import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, statSync } from 'node:fs'
import { StartError } from '../start-error.ts'

/**
 * The account Postgres runs under; undefined is our own. Postgres refuses to be root, so a program
 * started by root lends it another one.
 */
export type Account = { readonly name: string; readonly uid: number; readonly gid: number } | undefined

export const isRoot = () => process.getuid?.() === 0

/** Whoever owns the files runs them, so that root may start what an ordinary user once made. */
export const accountFor = (home: string): Account => {
  if (!isRoot()) return undefined
  if (existsSync(home)) {
    const { uid, gid } = statSync(home)
    if (uid !== 0) return { name: nameOf(uid), uid, gid }
  }
  return findAccount('postgres') ?? findAccount('paymachine') ?? createAccount('paymachine')
}

/** Runs a program as the account and answers whether it succeeded: permissions are asked, not computed. */
export const can = (account: Account, program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { ...identity(account), cwd: '/', stdio: 'ignore' }).status === 0

export const give = (path: string, account: Account) => {
  if (account) chownSync(path, account.uid, account.gid)
}

/** What spawn() needs to run something as the account. */
export const identity = (account: Account) => (account ? { uid: account.uid, gid: account.gid } : {})

const findAccount = (name: string): Account => {
  const uid = ask('id', '-u', name)
  const gid = ask('id', '-g', name)
  return uid && gid ? { name, uid: Number(uid), gid: Number(gid) } : undefined
}

const createAccount = (name: string): Account => {
  // The first is everywhere but on Alpine, which has the second.
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', name])
  if (!findAccount(name)) spawnSync('adduser', ['-S', '-D', '-H', name])
  const account = findAccount(name)
  if (account) return account
  throw new StartError(
    `Postgres does not run as root and no user could be made for it: create a user named ${name}, start as an ordinary user, or set DATABASE_URL`,
  )
}

const nameOf = (uid: number) => ask('id', '-un', String(uid)) || String(uid)

const ask = (program: string, ...args: readonly string[]) =>
  spawnSync(program, args, { encoding: 'utf8' }).stdout?.trim() ?? ''
