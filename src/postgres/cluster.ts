import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { give, identity, type OsAccount, writeAs } from '../process/account.ts'
import { StartError } from '../process/start-error.ts'
import type { Binaries } from './binaries.ts'

/**
 * A folder with a database cluster, its logs and the password of the service's role, and the account that runs
 * Postgres. Only the cluster and the logs belong to that account. The password is outside of them, where the account
 * cannot create links.
 */
export type Cluster = { readonly home: string; readonly account: OsAccount; readonly binaries: Binaries }

export const pgdata = (home: string) => join(home, 'cluster')
export const logFolder = (home: string) => join(home, 'log')

/** Not a superuser: a superuser can run programs and access files as Postgres's account. */
export const SERVICE_ROLE = 'paymachine'

/**
 * Creates the cluster if it does not exist. It is renamed into place at the end, so a killed start leaves no partial
 * one.
 */
export const createCluster = async ({ home, account, binaries }: Cluster) => {
  await removeUnfinished(home, account)
  if (existsSync(pgdata(home))) return
  // A new name: an initdb whose parent was killed may still be writing to the old one.
  const unfinished = `${home}.making-${randomBytes(4).toString('hex')}`
  mkdirSync(unfinished, { recursive: true })
  // The account must be able to enter the folder. Not with mkdir, which applies the umask.
  chmodSync(unfinished, account ? 0o711 : 0o700)
  const password = randomBytes(24).toString('base64url')
  await writeFile(passwordFile(unfinished), password, { mode: 0o600 })
  for (const folder of [pgdata(unfinished), logFolder(unfinished)]) {
    mkdirSync(folder, { mode: 0o700 })
    give(folder, account)
  }
  const cluster = { home: unfinished, account, binaries }
  await run(cluster, 'initdb', [
    // The superuser can connect in single-user mode only.
    ...['-D', pgdata(unfinished), '-U', 'postgres', '--auth=reject'],
    // Postgres's built-in locale: the system's may be missing, or its sort order may change, which corrupts indexes.
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  ])
  writeAs(account, join(pgdata(unfinished), 'pg_hba.conf'), `host all ${SERVICE_ROLE} 127.0.0.1/32 scram-sha-256\n`)
  await runStatements(cluster, [
    `create role ${SERVICE_ROLE} login password '${password}'`,
    // To check whether a running server belongs to a data folder.
    `grant pg_read_all_settings to ${SERVICE_ROLE}`,
    `alter database postgres owner to ${SERVICE_ROLE}`,
  ])
  await rename(unfinished, home)
}

/** Runs statements of one line each as the superuser of a cluster whose server is stopped. */
export const runStatements = (cluster: Cluster, statements: readonly string[]) =>
  run(
    cluster,
    'postgres',
    ['--single', '-D', pgdata(cluster.home), '-c', 'exit_on_error=on', 'postgres'],
    statements.map(each => `${each}\n`).join(''),
  )

/** Removes what killed starts have left, unless it is still being written. */
const removeUnfinished = async (home: string, account: OsAccount) => {
  for (const name of await readdir(dirname(home)))
    if (name.startsWith(`${basename(home)}.making-`)) await remove(join(dirname(home), name), account).catch(() => {})
}

const remove = async (home: string, account: OsAccount) => {
  if (account) {
    // Removed with the account's permissions: root must not remove recursively where the account can create links.
    const owned = [pgdata(home), logFolder(home)].filter(existsSync)
    spawnSync('rm', ['-rf', ...owned], { ...identity(account), cwd: '/', stdio: 'ignore' })
    for (const folder of owned) rmdirSync(folder)
  }
  await rm(home, { recursive: true, force: true })
}

export const databaseUrl = async ({ home }: Cluster, port: number, database = 'postgres') =>
  `postgres://${SERVICE_ROLE}:${await readFile(passwordFile(home), 'utf8')}@127.0.0.1:${port}/${database}`

const passwordFile = (home: string) => join(home, 'password')

const run = ({ account, binaries }: Cluster, program: string, args: readonly string[], input = '') =>
  new Promise<void>((resolve, reject) => {
    const child = spawn(join(binaries.folder, 'bin', program), args, {
      ...identity(account),
      cwd: '/',
      env: environment,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    // EPIPE, if the program ends before it has read the input.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    let errors = ''
    child.stderr.on('data', (text: Buffer) => {
      errors += text
    })
    child.on('error', reject)
    child.on('close', code => {
      if (code === 0) resolve()
      else
        reject(
          new StartError(`${program} failed: ${errors.split('\n').find(line => /error|FATAL/i.test(line)) ?? code}`),
        )
    })
  })

/** Without the caller's variables: PGOPTIONS, PGPORT and others would affect the server. */
export const environment = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  // As pg_ctl sets it: Postgres ignores a pid file that contains this pid. See endOrphan().
  PG_GRANDPARENT_PID: String(process.pid),
}
