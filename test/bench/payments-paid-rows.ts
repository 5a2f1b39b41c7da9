import type { Sql } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import type { Floor } from './payments-floor.ts'
import { startLoad } from './payments-load.ts'
import { openLog, type PaidHistory, readHistory, rowBytesOf, type Written, writtenBetween } from './payments-rows.ts'
import type { Service } from './payments-service.ts'
import { thousands } from './promises.ts'

/** The rows that one paid payment with one webhook endpoint writes. */
export type PaidRows = {
  readonly history: PaidHistory
  /** Undefined where the server cannot read its own WAL. */
  readonly written: readonly Written[] | undefined
}

/** Payments paid before, so that all pages were written to since the last checkpoint. */
const BEFORE = 40

/** Pays one payment while nothing else happens and reads what was written for it. Returns how many were paid. */
export const payOne = async (service: Service, blockMs: number): Promise<PaidRows & { readonly paid: number }> => {
  const { sql } = service
  const pay = async (most: number) => {
    await (await startLoad(service, { inFlight: most, blockMs, most })).finish()
    await until(() => isIdle(sql), { what: 'a service without work' })
  }
  await pay(BEFORE)
  const log = await openLog(sql)
  const from = await log?.position()
  await pay(1)
  const to = await log?.position()
  const written = from !== undefined && to !== undefined ? await writtenBetween(sql, from, to) : undefined
  return { history: await readHistory(sql), written, paid: BEFORE + 1 }
}

const isIdle = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ idle: boolean }[]>`
    select not exists (select from unsettled_payments) and not exists (select from delivery_claims)
      and not exists (select from payments where state <> 'success') as idle`
  return row?.idle === true
}

/** One line per table and per history row. */
export const linesOf = async (sql: Sql, { history, written }: PaidRows): Promise<readonly string[]> => {
  const lines: string[] = []
  if (!written) lines.push('rows per table are unknown: this Postgres has no pg_walinspect')
  const isOfPayment = ({ table }: Written) => TABLES.has(table) || table === 'recovery_secrets'
  const ofPayments = written?.filter(isOfPayment) ?? []
  const others = written?.filter(each => !isOfPayment(each)) ?? []
  lines.push('table: rows inserted, updated, deleted (bytes of a row); bytes of the WAL for rows + for index entries')
  for (const each of ofPayments) lines.push(await lineOf(sql, each))
  lines.push(`total: ${totalOf(ofPayments)}`)
  lines.push('written per block, per batch or by the clock, in the same seconds:')
  for (const each of others) lines.push(await lineOf(sql, each))
  lines.push('transitions (kind, event): bytes of the row, of its context')
  for (const { kind, event, bytes, context } of history.transitions)
    lines.push(`  ${kind}, ${event}: ${bytes}, ${Buffer.byteLength(context)}`)
  lines.push('events: bytes of the row, of its object')
  for (const { type, bytes, object } of history.events) lines.push(`  ${type}: ${bytes}, ${Buffer.byteLength(object)}`)
  return lines
}

const lineOf = async (sql: Sql, each: Written): Promise<string> => {
  const bytes = await rowBytesOf(sql, each.table)
  return (
    `  ${each.table}: ${each.inserted}, ${each.updated}, ${each.deleted} (${bytes === undefined ? 'none left' : Math.round(bytes)}); ` +
    `${thousands(each.rowBytes)} + ${thousands(each.indexBytes)} (${each.indexEntries} entries)`
  )
}

const totalOf = (all: readonly Written[]): string => {
  const sum = (of: (each: Written) => number) => all.reduce((total, each) => total + of(each), 0)
  return (
    `${sum(({ inserted }) => inserted)} inserted, ${sum(({ updated }) => updated)} updated, ${sum(({ deleted }) => deleted)} deleted; ` +
    `${thousands(sum(({ rowBytes }) => rowBytes))} + ${thousands(sum(({ indexBytes }) => indexBytes))} ` +
    `(${sum(({ indexEntries }) => indexEntries)} entries)`
  )
}

/** Tables in which each payment has its own rows. `recovery_secrets` has one row per merchant, which counts addresses. */
const TABLES: ReadonlySet<string> = new Set([
  'payments',
  'payment_links',
  'checkouts',
  'deposit_addresses',
  'transfers',
  'transfer_sums',
  'unsettled_payments',
  'waiting_addresses',
  'transitions',
  'events',
  'deliveries',
  'delivery_attempts',
  'timers',
  'graphile_worker._private_jobs',
])

/** Throws unless the floor writes as many rows to each of these tables as the service. */
export const requireSameRows = async ({ written }: PaidRows, { sql, write }: Floor): Promise<void> => {
  const log = await openLog(sql)
  if (!written || !log) return
  const COUNT = 16
  await write(COUNT)
  const from = await log.position()
  await write(COUNT)
  const ofFloor = await writtenBetween(sql, from, await log.position())
  const differ = [...TABLES].flatMap(table => {
    const rows = (all: readonly Written[], payments: number) => {
      const { inserted = 0, updated = 0, deleted = 0 } = all.find(each => each.table === table) ?? {}
      return [inserted, updated, deleted].map(count => count / payments).join(', ')
    }
    const [ours, floor] = [rows(written, 1), rows(ofFloor, COUNT)]
    return ours === floor ? [] : [`${table}: ${ours} against ${floor}`]
  })
  if (differ.length > 0)
    throw new Error(`the service and its floor do not write the same rows for a payment: ${differ.join('; ')}`)
}
