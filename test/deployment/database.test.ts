import { expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { openDeploymentDatabase } from '../../src/deployment/database.ts'
import { connect } from '../../src/postgres/connect.ts'
import { startEmbedded, urlFile } from '../../src/postgres/embedded.ts'
import { homeOf, usedFolder } from '../harness/embedded-parent.ts'

const visit = async (dataDir: string) => {
  await using visit = await openDeploymentDatabase({ databaseUrl: undefined, dataDir })
  const sql = connect(visit.url, { max: 1 })
  const [row] = await sql<{ at: string }[]>`select current_setting('data_directory') as at`
  await sql.end()
  return { running: visit.running, isOwn: row?.at.startsWith(homeOf(dataDir)) }
}

test('a copied data folder uses its own database, although that of the original runs', async () => {
  await using original = await usedFolder()
  await using copy = await usedFolder()
  const { stop } = await startEmbedded({ dataDir: original.path })
  copyFileSync(urlFile(original.path), urlFile(copy.path))
  expect(await visit(copy.path)).toEqual({ running: false, isOwn: true })
  expect(await visit(original.path)).toEqual({ running: true, isOwn: true })
  await stop()
})
