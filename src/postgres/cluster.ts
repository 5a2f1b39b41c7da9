import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { give, identity, type OsAccount, writeAs } from '../process/account.ts'
import { StartError } from '../process/start-error.ts'
import type { Binaries } from './binaries.ts'

/**
 * A folder with a database cluster, its logs and the password of the service's role, and the account that runs it.
 * Only the cluster and the logs belong to that account. What we write is beside them, where it can put no links.
 */
export type Cluster = { readonly home: string; readonly account: OsAccount; readonly binaries: Binaries }

export const pgdata = (home: string) => join(home, 'cluster')
export const logFolder = (home: string) => join(home, 'log')

/** Not a superuser, who could run programs and read and write files as Postgres's account. */
export const SERVICE_ROLE = 'paymachine'

/** Makes the cluster when there is none. It appears whole or not at all: a kill in the middle leaves nothing half-made. */
export const createCluster = async ({ home, account, binaries }: Cluster) => {
  await removeUnfinished(home, account)
  if (existsSync(pgdata(home))) return
  // A name of its own: an initdb whose parent was killed may still be writing.
  const making = `${home}.making-${randomBytes(4).toString('hex')}`
  mkdirSync(making, { recursive: true })
  // The account passes through. A umask would count in mkdir.
  chmodSync(making, account ? 0o711 : 0o700)
  const password = randomBytes(24).toString('base64url')
  await writeFile(passwordFile(making), password, { mode: 0o600 })
  for (const folder of [pgdata(making), logFolder(making)]) {
    mkdirSync(folder, { mode: 0o700 })
    give(folder, account)
  }
  const cluster = { home: making, account, binaries }
  await run(cluster, 'initdb', [
    // The superuser is reached in single-user mode alone.
    ...['-D', pgdata(making), '-U', 'postgres', '--auth=reject'],
    // Postgres's own locale: the system's may be absent, or change its sort order under the indexes.
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  ])
  writeAs(account, join(pgdata(making), 'pg_hba.conf'), `host all ${SERVICE_ROLE} 127.0.0.1/32 scram-sha-256\n`)
  await runStatements(cluster, [
    `create role ${SERVICE_ROLE} login password '${password}'`,
    // To see whether the server that answers is that of a data folder.
    `grant pg_read_all_settings to ${SERVICE_ROLE}`,
    `alter database postgres owner to ${SERVICE_ROLE}`,
  ])
  await rename(making, home)
}

/** Runs statements of one line each as the superuser of a cluster whose server is stopped. */
export const runStatements = (cluster: Cluster, statements: readonly string[]) =>
  run(
    cluster,
    'postgres',
    ['--single', '-D', pgdata(cluster.home), '-c', 'exit_on_error=on', 'postgres'],
    statements.map(each => `${each}\n`).join(''),
  )

/** What earlier starts that were killed have left behind, unless it is still being written. */
const removeUnfinished = async (home: string, account: OsAccount) => {
  for (const name of await readdir(dirname(home)))
    if (name.startsWith(`${basename(home)}.making-`)) await remove(join(dirname(home), name), account).catch(() => {})
}

const remove = async (home: string, account: OsAccount) => {
  if (account) {
    // The account removes what is its own: where it can put links, root removes nothing recursively.
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
    // Of a program that ended before it read all of it.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    let complaint = ''
    child.stderr.on('data', (text: Buffer) => {
      complaint += text
    })
    child.on('error', reject)
    child.on('close', code => {
      if (code === 0) resolve()
      else
        reject(
          new StartError(`${program} failed: ${complaint.split('\n').find(line => /error|FATAL/i.test(line)) ?? code}`),
        )
    })
  })

/** Nothing of the caller's: PGOPTIONS, PGPORT and the like would reach into the server. */
export const environment = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  // What pg_ctl says too: a pid file with this number in it is no other server's. See endOrphan().
  PG_GRANDPARENT_PID: String(process.pid),
}
