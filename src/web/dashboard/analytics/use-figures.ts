import { keepPreviousData } from '@tanstack/query-core'
import { dayIn, isSameZone } from '../../../billing/days.ts'
import type { Analytics, AnalyticsSummary } from '../../api/calls.ts'
import { useShopQuery } from '../shell/queries.ts'
import {
  type BucketName,
  bucketFor,
  type FiguresPeriod,
  figuresPeriodOf,
  type Limit,
  limitOf,
  type PeriodQuery,
  previousOf,
  type RangeName,
} from './period.ts'

export type FiguresQuery = PeriodQuery & {
  /** Undefined: what suits the length of the period. */
  readonly bucket?: BucketName | undefined
  /** Undefined: that of the shop. */
  readonly timeZone?: string | undefined
}

export type ShownFigures = {
  /** What was asked for when they were read. */
  readonly range: RangeName
  readonly summary: AnalyticsSummary
  /** The time zone of the shop in its settings, if its figures are still counted in another one. */
  readonly futureZone: string | undefined
  readonly timeZone: string
  readonly isOwnZone: boolean
  readonly today: string
  readonly period: FiguresPeriod
  /** The one before, that it is compared with. */
  readonly previous: FiguresPeriod
  readonly bucket: BucketName
  readonly limit: Limit | undefined
  /** Undefined beyond a limit. */
  readonly now: Analytics | undefined
  readonly before: Analytics | undefined
}

/** The figures of a period and of the one before it. The last ones are shown until those of another period come. */
export const useFigures = (query: FiguresQuery) =>
  useShopQuery(
    ['analytics', query],
    async ({ call, ...scope }, signal): Promise<ShownFigures> => {
      const [summary, settings] = await Promise.all([
        call('getAnalyticsSummary', scope, { signal }),
        call('getBillingSettings', scope, { signal }),
      ])
      const { timeZone: chosen = summary.timeZone, range } = query
      const isOwnZone = isSameZone(chosen, summary.timeZone)
      const timeZone = isOwnZone ? summary.timeZone : chosen
      const today = dayIn(timeZone, new Date(summary.asOf))
      const period = figuresPeriodOf(query, today)
      const bucket = query.bucket ?? bucketFor(period, range, today)
      const previous = previousOf(period, range, bucket)
      const limitIn = (asked: FiguresPeriod) => limitOf(asked, { bucket, hasKeys: false, isOwnZone, today })
      const read = async (asked: FiguresPeriod) =>
        limitIn(asked) === undefined
          ? call('getAnalyticsSeries', { ...scope, ...asked, bucket, ...(!isOwnZone && { timeZone }) }, { signal })
          : undefined
      const limit = limitIn(period)
      const [now, before] = limit ? [] : await Promise.all([read(period), read(previous)])
      const futureZone = settings.timeZone === summary.timeZone ? undefined : settings.timeZone
      return { range, summary, futureZone, timeZone, isOwnZone, today, period, previous, bucket, limit, now, before }
    },
    { placeholderData: keepPreviousData },
  ).value

/** Its last bucket has not ended. */
export const hasPartial = ({ period, today }: ShownFigures): boolean => period.to > today

/** Of all currencies that occur, the one with the most payments is first. They are never added. */
export const currenciesOf = ({ now, before, summary }: ShownFigures): readonly string[] => {
  const opened = new Map<string, number>()
  for (const { currency } of summary.billing) opened.set(currency, 0)
  for (const each of [before, now])
    for (const total of each?.totals ?? []) opened.set(total.currency, (opened.get(total.currency) ?? 0) + total.opened)
  return [...opened].sort(([a, one], [b, other]) => other - one || a.localeCompare(b)).map(([currency]) => currency)
}
