import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from '../../src/once.ts'
import { accountFor, give, identity } from '../../src/postgres/account.ts'
import { type Cluster, createCluster } from '../../src/postgres/cluster.ts'
import { usableBinaries } from '../../src/postgres/place.ts'

/** Fills a folder with a cluster. initdb takes a second, a copy of what it once made a tenth of one. */
export const copyCluster = async (home: string): Promise<Cluster> => {
  const { original, account, binaries } = await getOriginal()
  mkdirSync(home, { recursive: true, mode: 0o700 })
  give(home, account)
  // As the account itself, so that the copy belongs to it.
  execFileSync('cp', ['-R', `${original}/.`, home], identity(account))
  return { home, account, binaries }
}

/** Made by whoever wants one first on this machine, however many are wanted at once. */
const getOriginal = once(async () => {
  const account = accountFor(tmpdir())
  const binaries = await usableBinaries(account)
  const cache = join(tmpdir(), `paymachine-test-${process.getuid?.() ?? ''}`)
  mkdirSync(cache, { recursive: true, mode: 0o711 })
  const original = join(cache, binaries.version)
  if (!existsSync(original)) {
    const making = join(cache, `${binaries.version}.${process.pid}`)
    await createCluster({ home: making, account, binaries })
    // Another process may have been quicker.
    await rename(making, original).catch(() => rm(making, { recursive: true, force: true }))
  }
  return { original, account, binaries }
})
