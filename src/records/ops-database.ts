import { type } from 'arktype'
import { example } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { count, flag, text, timeOrNull } from '../fields/wire.ts'
import type { DatabaseReading, OpenTransaction, RetentionReading } from '../queries/ops/database.ts'

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

const retention = groupOf<RetentionReading>()({
  part: {
    type: () => type("'attempt_bodies' | 'deliveries' | 'history'"),
    about:
      '`attempt_bodies`: responses of webhook endpoints. `deliveries`: webhook deliveries. `history`: transitions of finished records.',
    example: 'deliveries' as const,
    of: ({ part }) => part,
  },
  dropped: { type: count, about: 'How many were dropped until now.', example: 120_000, of: row => row.dropped },
  completedAt: {
    type: timeOrNull,
    about: 'When a worker last found that nothing older is left. Null if it has not yet, or if everything is kept.',
    example: example.at,
    of: ({ completedAt }) => completedAt && new Date(completedAt).toISOString(),
  },
  heldBack: {
    type: () => type("'audit' | 'broken' | 'failed' | null"),
    about:
      'Why old records are kept: `audit`: the last audit of today had findings; `broken`: the audit of what would be dropped next had; `failed`: an error, which is in the log. Null if nothing is held back.',
    example: null,
    of: ({ heldBack }) => heldBack,
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
  retention: {
    type: () => retention.type().array(),
    about: 'How far old records were dropped, by part.',
    inside: retention.inside,
    example: [retention.example],
    of: row => row.retention.map(retention.render),
  },
  disk: {
    type: () => disk.type().or('null'),
    about: 'The disk under the database. Null if Postgres is not run by this server.',
    inside: disk.inside,
    example: disk.example,
    of: row => (row.disk ? disk.render(row.disk) : null),
  },
})
