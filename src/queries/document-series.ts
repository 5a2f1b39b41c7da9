import type { DocumentSeries, DocumentSeriesOpening } from '../../machines/document-series.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { uuidFrom } from '../ids.ts'
import { documentSeriesKind } from '../kinds/document-series.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'

/** What identifies a series. */
export type SeriesKey = Omit<DocumentSeriesOpening, 'firstNumber'>

/** Derived from the key, so that two callers that issue the first document of a series create the same one. */
export const seriesIdOf = ({ merchantId, livemode, documentKind, year, testClockId }: SeriesKey): string =>
  uuidFrom([
    'document series',
    merchantId,
    String(livemode),
    documentKind,
    year,
    ...(testClockId === null ? [] : [testClockId]),
  ])

const readSeries = readerOf(documentSeriesKind)

export const findSeries = async (sql: Sql, key: SeriesKey): Promise<Actor<DocumentSeries> | undefined> => {
  const [row] = await sql<ActorRow[]>`select * from document_series where id = ${seriesIdOf(key)}`
  return row && readSeries(row)
}
