import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lazy } from '../../src/lazy.ts'
import { type Cluster, createCluster, pgdata, runStatements, SERVICE_ROLE } from '../../src/postgres/cluster.ts'
import { usableBinaries } from '../../src/postgres/cluster-location.ts'
import { accountFor, writeAs } from '../../src/process/account.ts'

/** Fills a folder with a cluster. initdb takes a second; copying the result of an earlier initdb takes a tenth of that. */
export const copyCluster = async (home: string, kind: Kind = 'service'): Promise<Cluster> => {
  const { original, account, binaries } = await originals[kind]()
  mkdirSync(home, { recursive: true, mode: 0o700 })
  // Each part of the copy gets the owner of the original part.
  execFileSync('cp', ['-a', `${original}/.`, home])
  return { home, account, binaries }
}

/** Tests create databases and roles, terminate connections and change settings, so their role is a superuser. */
export const createForTests = async (cluster: Cluster) => {
  await createCluster(cluster)
  writeAs(cluster.account, join(pgdata(cluster.home), 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n')
  await runStatements(cluster, [`alter role ${SERVICE_ROLE} superuser`])
}

type Kind = 'service' | 'tests'

/** Made once per machine, by the first process that needs it. */
const getOriginal = async (kind: Kind, create: (cluster: Cluster) => Promise<void>) => {
  const account = accountFor(tmpdir())
  const binaries = await usableBinaries(account)
  const cache = join(tmpdir(), `paymachine-test-${process.getuid?.() ?? ''}`)
  mkdirSync(cache, { recursive: true, mode: 0o711 })
  // Raise this number when the result of createCluster() changes.
  const original = join(cache, `${binaries.version}-3-${kind}`)
  if (!existsSync(original)) {
    const making = `${original}.${process.pid}`
    await create({ home: making, account, binaries })
    // Another process may have created it first.
    await rename(making, original).catch(() => rm(making, { recursive: true, force: true }))
  }
  return { original, account, binaries }
}

const originals = {
  service: lazy(() => getOriginal('service', createCluster)),
  tests: lazy(() => getOriginal('tests', createForTests)),
}
