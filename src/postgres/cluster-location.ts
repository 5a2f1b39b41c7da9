import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { accountFor, can, type OsAccount, requireOwn } from '../process/account.ts'
import { StartError } from '../process/start-error.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { type Cluster, createCluster, pgdata } from './cluster.ts'

/** The location of the cluster if root starts the server and Postgres's account cannot enter the data folder. */
export const sharedHome = '/var/lib/paymachine'

/** Where the embedded Postgres is: a folder, or a link to one. */
export const clusterIn = (dataDir: string): string => join(dataDir, 'postgres')

/** The cluster of a data folder, created if it does not exist: in the folder, or in `sharedHome` with a link to it. */
export const findCluster = async (
  folder: string,
  say: (line: string) => void,
): Promise<Cluster & { elsewhere: boolean }> => {
  const link = clusterIn(folder)
  const account = accountFor(pgdata(link))
  const binaries = await usableBinaries(account, say)
  if (existsSync(link)) {
    const home = realpathSync(link)
    requireOwn(home)
    if (account && !can(account, 'test', '-x', home))
      throw new StartError(
        `Postgres cannot read ${home} as user ${account.name}: give that user access to the folders above it (chmod +x)`,
      )
    const cluster = { home, account, binaries }
    requireMajor(cluster)
    await createCluster(cluster)
    const elsewhere = lstatSync(link).isSymbolicLink()
    if (account && elsewhere && dirname(home) === sharedHome) say(elsewhereMessage(folder, account, home))
    return { ...cluster, elsewhere }
  }
  if (isDangling(link))
    throw new StartError(
      `${link} is a link to a folder that does not exist: restore the folder, or remove the link to start with an empty database`,
    )

  const elsewhere = account !== undefined && !can(account, 'test', '-x', folder)
  const home = elsewhere ? join(sharedHome, crypto.randomUUID().slice(0, 8)) : link
  if (elsewhere) openSharedHome(account)
  await createCluster({ home, account, binaries })
  if (elsewhere) {
    symlinkSync(home, link)
    say(elsewhereMessage(folder, account, home))
  }
  return { home, account, binaries, elsewhere }
}

/** Throws if the cluster has another major version, which Postgres cannot read. */
const requireMajor = ({ home, binaries }: Cluster) => {
  const file = join(pgdata(home), 'PG_VERSION')
  const createdBy = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined
  const ours = Number.parseInt(binaries.version, 10)
  // A package of another build may have another kind of version number. Then Postgres itself reports the problem.
  if (createdBy === undefined || createdBy === ours || Number.isNaN(ours)) return
  throw new StartError(
    `${home} was created by Postgres ${createdBy}, but this version has Postgres ${ours}: start the version that created it, save the database with pg_dump, restore it into your own Postgres, and set DATABASE_URL`,
  )
}

const elsewhereMessage = (folder: string, { name }: PostgresAccount, home: string) =>
  `Postgres cannot read ${folder} as user ${name}, so the database is in ${home}`

type PostgresAccount = NonNullable<OsAccount>

/** Creates the folder so that the account can enter it, also if root's umask denies access to other users. */
const openSharedHome = (account: PostgresAccount) => {
  mkdirSync(sharedHome, { recursive: true })
  requireOwn(sharedHome)
  if (!can(account, 'test', '-x', sharedHome)) chmodSync(sharedHome, 0o755)
}

/** The binaries, or a copy of them if the account cannot run them where they are. */
export const usableBinaries = async (account: OsAccount, say: (line: string) => void = () => {}): Promise<Binaries> => {
  const found = findBinaries()
  if (!account || can(account, join(found.folder, 'bin', 'postgres'), '--version')) return found
  const copy = join(sharedHome, `postgres-${found.version}`)
  const runs = () => can(account, join(copy, 'bin', 'postgres'), '--version')
  openSharedHome(account)
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`
    await cp(found.folder, unfinished, { recursive: true, verbatimSymlinks: true })
    // If two starts copy at the same time, the first copy is used.
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true, force: true }))
  }
  // Root's umask may have denied access to other users.
  if (!runs()) spawnSync('chmod', ['-R', 'a+rX', copy])
  if (!runs())
    throw new StartError(
      `Postgres cannot run the programs in ${copy} as user ${account.name}: allow that user to run programs there, start as an ordinary user, or set DATABASE_URL`,
    )
  // Printed at every start: the copy may have been created by another clone.
  say(`Postgres cannot read ${found.folder} as user ${account.name}, so it runs the programs in ${copy}`)
  return { ...found, folder: copy }
}

const isDangling = (link: string): boolean => {
  try {
    return lstatSync(link).isSymbolicLink()
  } catch {
    return false
  }
}
