import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from '../../src/once.ts'
import { type Cluster, createCluster, pgdata, runStatements, SERVICE_ROLE } from '../../src/postgres/cluster.ts'
import { usableBinaries } from '../../src/postgres/place.ts'
import { accountFor, writeAs } from '../../src/process/account.ts'

/** Fills a folder with a cluster. initdb takes a second, a copy of what it once made a tenth of one. */
export const copyCluster = async (home: string, kind: Kind = 'service'): Promise<Cluster> => {
  const { original, account, binaries } = await originals[kind]()
  mkdirSync(home, { recursive: true, mode: 0o700 })
  // Each part of the copy belongs to the account that the part of the original belongs to.
  execFileSync('cp', ['-a', `${original}/.`, home])
  return { home, account, binaries }
}

/** Tests make databases and roles, end the connections of others and change settings: for them the role is a superuser. */
export const createForTests = async (cluster: Cluster) => {
  await createCluster(cluster)
  writeAs(cluster.account, join(pgdata(cluster.home), 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n')
  await runStatements(cluster, [`alter role ${SERVICE_ROLE} superuser`])
}

type Kind = 'service' | 'tests'

/** Made once on this machine, by the process that needs one first, however many are needed at once. */
const getOriginal = async (kind: Kind, create: (cluster: Cluster) => Promise<void>) => {
  const account = accountFor(tmpdir())
  const binaries = await usableBinaries(account)
  const cache = join(tmpdir(), `paymachine-test-${process.getuid?.() ?? ''}`)
  mkdirSync(cache, { recursive: true, mode: 0o711 })
  // The number rises with what createCluster() makes.
  const original = join(cache, `${binaries.version}-3-${kind}`)
  if (!existsSync(original)) {
    const making = `${original}.${process.pid}`
    await create({ home: making, account, binaries })
    // Another process may have been quicker.
    await rename(making, original).catch(() => rm(making, { recursive: true, force: true }))
  }
  return { original, account, binaries }
}

const originals = {
  service: once(() => getOriginal('service', createCluster)),
  tests: once(() => getOriginal('tests', createForTests)),
}
