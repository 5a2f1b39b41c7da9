import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { StartError } from '../start-error.ts'
import { type Account, give, identity } from './account.ts'
import type { Binaries } from './binaries.ts'

/** A folder with a database cluster, its superuser's password, its logs, and who may run it with what. */
export type Cluster = { readonly home: string; readonly account: Account; readonly binaries: Binaries }

export const pgdata = (home: string) => join(home, 'cluster')
const superuser = 'paymachine'

/** Makes the cluster when there is none. It appears whole or not at all: a kill in the middle leaves nothing half-made. */
export const createCluster = async ({ home, account, binaries }: Cluster) => {
  await removeUnfinished(home)
  if (existsSync(pgdata(home))) return
  // A name of its own: an initdb whose parent was killed may still be writing.
  const making = `${home}.making-${randomBytes(4).toString('hex')}`
  await mkdir(making, { mode: 0o700, recursive: true })
  await writeFile(passwordFile(making), randomBytes(24).toString('base64url'), { mode: 0o600 })
  give(making, account)
  give(passwordFile(making), account)
  await run({ home: making, account, binaries }, 'initdb', [
    ...['-D', pgdata(making), '-U', superuser, `--pwfile=${passwordFile(making)}`, '--auth=scram-sha-256'],
    // Postgres's own locale: the system's may be absent, or change its sort order under the indexes.
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    // The password is 192 random bits; hashing it 4,096 times would only make every connection slower.
    ...['--set', 'scram_iterations=1'],
  ])
  await rename(making, home)
}

/** What earlier starts that were killed have left behind, unless it is still being written. */
const removeUnfinished = async (home: string) => {
  for (const name of await readdir(dirname(home)))
    if (name.startsWith(`${basename(home)}.making-`))
      await rm(join(dirname(home), name), { recursive: true, force: true }).catch(() => {})
}

export const databaseUrl = async ({ home }: Cluster, port: number, database = 'postgres') =>
  `postgres://${superuser}:${await readFile(passwordFile(home), 'utf8')}@127.0.0.1:${port}/${database}`

const passwordFile = (home: string) => join(home, 'password')

const run = ({ account, binaries }: Cluster, program: string, args: readonly string[]) =>
  new Promise<void>((resolve, reject) => {
    const child = spawn(join(binaries.folder, 'bin', program), args, {
      ...identity(account),
      cwd: '/',
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let complaint = ''
    child.stderr?.on('data', (text: Buffer) => {
      complaint += text
    })
    child.on('error', reject)
    child.on('close', code => {
      if (code === 0) resolve()
      else
        reject(
          new StartError(`${program} failed: ${complaint.split('\n').find(line => /error|FATAL/.test(line)) ?? code}`),
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
