import type { DocumentSeries, DocumentSeriesOpening } from '../../machines/document-series.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import type { Services } from '../actors/services.ts'
import { dayIn } from '../billing/days.ts'
import { seriesYear } from '../billing/document-number.ts'
import { uuidFrom } from '../ids.ts'
import { documentSeriesKind } from '../kinds/document-series.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import type { FinalizationFacts } from './invoices.ts'

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

/** The series that a document is numbered in if it is issued now, by the time of its customer. */
export const currentSeriesOf = (
  { settings }: Pick<FinalizationFacts, 'settings'>,
  mode: Pick<SeriesKey, 'documentKind' | 'livemode' | 'testClockId'>,
  now: Date,
): SeriesKey => ({
  ...{ ...mode, merchantId: settings.merchant_id },
  year: seriesYear(settings.restart, dayIn(settings.time_zone, now)) ?? 0,
})

/** Creates the series of the first document. It does not matter which request does. */
export const ensureSeries = async (
  { actors }: Pick<Services, 'actors'>,
  series: SeriesKey,
  cause: string,
): Promise<void> => {
  await actors.dispatch({
    ...{ kind: 'document_series', actor: seriesIdOf(series), create: { ...series, firstNumber: 1 }, cause },
  })
}
