import { statfs } from 'node:fs/promises'
import { feedLagMs } from '../../actors/feed.ts'
import { readDatabase } from '../../queries/ops/database.ts'
import { type DiskSpace, opsDatabaseRecord } from '../../records/ops-database.ts'
import { listDatabasesDocs } from '../docs/ops-server.ts'
import { forOperators, type Route } from '../route.ts'
import { wholeListOf } from './whole-list.ts'

export const databaseRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/database',
      docs: listDatabasesDocs,
      handle: async ({ sql, clusterFolder }) => {
        const [reading, heldMs, disk] = await Promise.all([readDatabase(sql), feedLagMs(sql), readDisk(clusterFolder)])
        return { status: 200, body: wholeListOf([{ ...reading, heldMs, disk }], opsDatabaseRecord.render) }
      },
    },
  ),
]

/** Undefined if it cannot be read: the folder may belong to another account. */
const readDisk = async (folder: string | undefined): Promise<DiskSpace | undefined> => {
  if (folder === undefined) return undefined
  const read = await statfs(folder).catch(() => undefined)
  return read && { freeBytes: read.bavail * read.bsize, totalBytes: read.blocks * read.bsize }
}
