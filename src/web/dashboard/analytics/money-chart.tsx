import type { ComponentChildren } from 'preact'
import { useReader } from '../../parts/reader.ts'
import { bucketRowsOf } from './bucket-rows.ts'
import { type Measure, SeriesChart } from './series-chart.tsx'
import { useAnalyticsTexts } from './texts.ts'
import type { ShownFigures } from './use-figures.ts'

/** The rows of the charts of a period in one currency. */
export const useBucketRows = (figures: ShownFigures, currency: string | undefined) => {
  const { locale } = useReader()
  const { hours } = useAnalyticsTexts()
  return bucketRowsOf(figures, currency, { locale, hours })
}

type MoneyChartProps = {
  readonly figures: ShownFigures
  readonly currency: string
  readonly kind: 'bars' | 'lines'
  readonly isCompared: boolean
  readonly aside?: ComponentChildren
}

export const MoneyChart = ({ figures, currency, kind, isCompared, aside }: MoneyChartProps) => {
  const texts = useAnalyticsTexts()
  const money: Measure = {
    ...{ key: 'money', name: texts.moneyIn, unit: 'money' },
    of: ({ total }) => total?.volumeMinor ?? 0,
  }
  const hasBefore = isCompared && figures.before !== undefined
  const counts: readonly Measure[] = [
    { key: 'opened', name: texts.opened, unit: 'count', of: ({ total }) => total?.opened ?? 0 },
    { key: 'paid', name: texts.paid, unit: 'count', of: ({ total }) => total?.succeeded ?? 0 },
    { key: 'share', name: texts.conversion, unit: 'share', of: ({ total }) => total?.conversionBps ?? null },
  ]
  return (
    <SeriesChart
      {...{ kind, currency, aside }}
      name="money-in"
      label={texts.moneyIn}
      rows={useBucketRows(figures, currency)}
      bucket={figures.bucket}
      period={figures.period}
      first={money}
      second={
        hasBefore
          ? { ...money, key: 'before', name: texts.before, of: ({ before }) => before?.volumeMinor ?? 0 }
          : undefined
      }
      more={counts}
      tall
    />
  )
}
