import { groupOf, recordOf } from '../fields/record.ts'
import { count, flag, text } from '../fields/wire.ts'
import type { DatabaseReading, OpenTransaction } from '../queries/ops/database.ts'

/** What is known of the disk under the database. */
export type DiskSpace = { readonly freeBytes: number; readonly totalBytes: number }

export type OpsDatabase = DatabaseReading & { readonly heldMs: number; readonly disk: DiskSpace | undefined }

const transaction = groupOf<OpenTransaction>()({
  pid: {
    type: count,
    about: 'Process ID of its connection, as in `pg_stat_activity`. `pg_terminate_backend(pid)` ends it.',
    example: 4711,
    of: ({ pid }) => pid,
  },
  ageMs: { type: count, about: 'How long it has been open, in milliseconds.', example: 95_000, of: row => row.ageMs },
  state: {
    type: text,
    about: 'What its connection does, as in `pg_stat_activity`.',
    example: 'idle in transaction',
    of: ({ state }) => state,
  },
  writing: {
    type: flag,
    about: 'Whether it has written. Lists and feeds wait for it then.',
    example: true,
    of: ({ isWriting }) => isWriting,
  },
})

const disk = groupOf<DiskSpace>()({
  freeBytes: { type: count, about: 'Bytes that are free.', example: 81_604_378_624, of: row => row.freeBytes },
  totalBytes: { type: count, about: 'Size of the disk in bytes.', example: 107_374_182_400, of: row => row.totalBytes },
})

/** The database of the server. */
export const opsDatabaseRecord = recordOf<OpsDatabase>()('OpsDatabase', {
  version: { type: text, about: 'Version of Postgres.', example: '18.4', of: ({ version }) => version },
  sizeBytes: {
    type: count,
    about: 'Size of all tables and indexes, in bytes.',
    example: 734_003_200,
    of: ({ sizeBytes }) => sizeBytes,
  },
  connections: {
    type: count,
    about: 'Open connections to all databases of this Postgres.',
    example: 24,
    of: ({ connections }) => connections,
  },
  maxConnections: {
    type: count,
    about: '`max_connections` of this Postgres.',
    example: 100,
    of: ({ maxConnections }) => maxConnections,
  },
  heldMs: {
    type: count,
    about: 'How long an open write transaction has held lists and feeds back, in milliseconds. 0 if none does.',
    example: 0,
    of: ({ heldMs }) => Math.round(heldMs),
  },
  transactions: {
    type: () => transaction.type().array(),
    about:
      'Transactions that have been open for more than 30 seconds, the oldest first, at most 20. Those of other users are missing if the user of the server may not see them.',
    inside: transaction.inside,
    example: [transaction.example],
    of: ({ transactions }) => transactions.map(transaction.render),
  },
  disk: {
    type: () => disk.type().or('null'),
    about: 'The disk under the database. Null if Postgres is not run by this server.',
    inside: disk.inside,
    example: disk.example,
    of: row => (row.disk ? disk.render(row.disk) : null),
  },
})
