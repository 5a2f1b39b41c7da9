import { setImmediate } from 'node:timers/promises'
import type { ActorRow } from '../../actors/rows.ts'
import { addDays, isDay } from '../../billing/days.ts'
import { refuse } from '../../errors.ts'
import { encodeId } from '../../ids.ts'
import type { HeaderFields } from '../../pages/answer.ts'
import { openExportRows, recordExport } from '../../queries/exports.ts'
import type { ListOwner, RowList } from '../../queries/list-rows.ts'
import type { AccountActor } from '../../queries/security-events.ts'
import { acceptsGzip } from '../accept.ts'
import type { Api } from '../api.ts'
import type { ExportRun } from '../export-runs.ts'
import type { Answer } from '../route.ts'
import { type ExportKind, type ExportName, exportKinds } from './kinds.ts'
import { type ExportFormat, encoded, gzipped, type Lines, linesOf } from './lines.ts'
import { rangeOf } from './range.ts'

export type ExportCall = {
  readonly kind: ExportName
  readonly format: ExportFormat
  /** As the type of `exportQuery()` has parsed it. */
  readonly query: ExportQuery
  readonly merchantId: string
  readonly by: AccountActor
  readonly headers: Headers
  readonly requestId: string
  readonly isHead: boolean
  /** The hash of the ticket that is used up when the export begins. */
  readonly ticket?: Uint8Array
}

/** What all kinds have. Balances have no range. */
export type ExportQuery = {
  readonly livemode: boolean
  readonly from?: string
  readonly to?: string
  readonly bom?: 'true' | 'false'
}

/**
 * So many rows are in memory twice, and other requests wait while their records are made. The garbage collector keeps for long
 * what it finds in use: with pages of 250 rows the first export of a process needed 186 MiB more, and with these 146.
 */
const PAGE = 50

/** Starts an export. Everything that can be refused is refused before the response begins. */
export const exportAnswer = async (api: Api, call: ExportCall): Promise<Answer> => {
  const { kind, format, query, merchantId, by, headers, requestId, isHead, ticket } = call
  const { livemode, from, to, bom, ...filters } = query
  const owner = { merchantId, livemode }
  const range = from !== undefined && to !== undefined ? await rangeOf(api.sql, merchantId, { from, to }) : undefined
  const isGzip = acceptsGzip(headers.get('accept-encoding'))
  const answer = { status: 200, headers: headersOf(call, isGzip, api.clock.now()) }
  if (isHead) return answer
  const run = await api.exportRuns.begin(merchantId)
  try {
    const lines = linesOf(exportKinds[kind], format, bom === 'true')
    const texts = await openTexts(api, run, { kind, owner, query, range, lines })
    const isRecorded = await recordExport(
      api.sql,
      by,
      {
        ...{ merchantId, kind, format, livemode },
        ...(range && { from: range.from.toISOString(), to: range.to.toISOString() }),
        filters: Object.keys(filters).sort(),
      },
      ticket,
    )
    // Another request has used the ticket meanwhile.
    if (!isRecorded) refuse('resource_not_found')
    const pieces = isGzip ? gzipped(encoded(texts)) : encoded(texts)
    const about = { requestId, merchantId: encodeId('mer', merchantId), kind, format }
    return { ...answer, text: run.stream(pieces, about), mayPause: true }
  } catch (error) {
    await run.end()
    throw error
  }
}

const headersOf = (call: ExportCall, isGzip: boolean, now: Date): HeaderFields => ({
  'content-type': call.format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson',
  'content-disposition': `attachment; filename="${fileNameOf(call, now)}"`,
  'cache-control': 'no-store',
  vary: 'accept-encoding',
  ...(isGzip && { 'content-encoding': 'gzip' }),
})

/** `payments-2026-01-01-2026-01-31-test.csv`: as people name a range, with the last day that belongs to it. */
const fileNameOf = ({ kind, format, query: { livemode, from, to } }: ExportCall, now: Date): string => {
  const last = to !== undefined && isDay(to) ? addDays(to, -1) : to
  const days = [from ?? now.toISOString(), last].flatMap(time => (time === undefined ? [] : [time.slice(0, 10)]))
  return `${[kind, ...days, ...(livemode ? [] : ['test'])].join('-')}.${format}`
}

type Opening = Pick<ExportCall, 'kind' | 'query'> & {
  readonly owner: ListOwner
  readonly range: Awaited<ReturnType<typeof rangeOf>> | undefined
  readonly lines: Lines
}

/** The texts of the file. The first rows are read here. */
const openTexts = async (pool: Api, run: ExportRun, { kind: name, owner, query, range, lines }: Opening) => {
  const kind: ExportKind = exportKinds[name]
  // Not in the snapshot: it records which addresses it finds empty.
  if ('all' in kind) {
    const records = await kind.all(pool, owner)
    return textsOf(lines, records, { read: async () => [], recordsOf: async all => all })
  }
  const api = { ...pool, sql: run.snapshot.sql }
  if (!range) throw new TypeError(`an export of ${name} has a range`)
  const list: RowList = await kind.list(api, owner, query as never, range)
  const read = await openExportRows<ActorRow>(api.sql, list, { ...range, count: PAGE })
  const recordsOf = async (rows: readonly ActorRow[]): Promise<readonly object[]> => {
    const records = await kind.records(api, owner, rows)
    run.snapshot.requireOpen()
    return records
  }
  return textsOf(lines, await read(), { read, recordsOf })
}

type Source<Row> = {
  /** The next rows, none after the last one. */
  read(): Promise<readonly Row[]>
  recordsOf(rows: readonly Row[]): Promise<readonly object[]>
}

/** Postgres reads the next rows while records are made of these, and while the client takes what there is. */
async function* textsOf<Row>(
  lines: Lines,
  first: readonly Row[],
  { read, recordsOf }: Source<Row>,
): AsyncGenerator<string> {
  yield lines.head
  for (let rows = first; rows.length > 0; ) {
    const next = read()
    // It is awaited below. If it fails before, that is no unhandled rejection.
    next.catch(() => {})
    // The driver sends a statement in an immediate of its own, which it sets after the first of these. Other requests get their
    // turn. With one, the statement was sent after the records were made, and Postgres and this process took turns.
    await setImmediate()
    await setImmediate()
    yield lines.of(await recordsOf(rows))
    rows = await next
  }
}
