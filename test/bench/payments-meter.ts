import type { Sql } from '../../src/postgres/connect.ts'
import { parentOf, processorTime, processorTimeOfAll, processorTimeOfTree } from './processor-time.ts'
import { thousands } from './promises.ts'

/** Reads the resources used so far; the difference of two readings is what was used between them. */
export type Meter = { read(): Promise<Reading> }

type Reading = Spent & { readonly atMs: number; readonly machine: number }

/** Microseconds of processor time per process, and bytes. */
export type Spent = {
  readonly processors: Readonly<Record<string, number>>
  readonly walBytes: number
  /** Tables with their indexes. */
  readonly tableBytes: number
}

/** Reads the processes of the database, this process, and the given ones. */
export const openMeter = async (sql: Sql, pids: Readonly<Record<string, number>>): Promise<Meter> => {
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  // NaN where Postgres runs on another machine or there is no /proc.
  const postmaster = backend && parentOf(backend.pid, 'postgres')
  return {
    read: async () => {
      const [row] = await sql<{ wal: number; tables: number }[]>`
        select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal,
          (select sum(pg_total_relation_size(oid)) from pg_class
            where relkind = 'r' and relnamespace::regnamespace::text !~ '^(pg_|information_schema)')::float8 as tables`
      return {
        atMs: performance.now(),
        processors: {
          ...Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, processorTime(pid)])),
          Postgres: postmaster === undefined ? Number.NaN : processorTimeOfTree(postmaster),
          bench: processorTime(process.pid),
        },
        machine: processorTimeOfAll(),
        walBytes: row?.wal ?? Number.NaN,
        tableBytes: row?.tables ?? Number.NaN,
      }
    },
  }
}

/** Divided by this many payments. */
export const spentBetween = (before: Reading, after: Reading, payments: number): Spent => ({
  processors: Object.fromEntries(
    Object.entries(after.processors).map(([name, time]) => [
      name,
      (time - (before.processors[name] ?? Number.NaN)) / payments,
    ]),
  ),
  walBytes: (after.walBytes - before.walBytes) / payments,
  tableBytes: (after.tableBytes - before.tableBytes) / payments,
})

/** The share of one processor used by processes that were not read. */
export const otherShare = (before: Reading, after: Reading): number => {
  const sum = ({ processors }: Reading) => Object.values(processors).reduce((all, time) => all + time, 0)
  const others = after.machine - before.machine - (sum(after) - sum(before))
  return others / 1_000 / (after.atMs - before.atMs)
}

export const spentText = ({ processors, walBytes, tableBytes }: Spent): string =>
  [
    ...Object.entries(processors).map(([name, time]) => `${name} ${thousands(time)} µs`),
    `WAL ${kilobytes(walBytes)}`,
    `tables ${kilobytes(tableBytes)}`,
  ].join(', ')

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`
