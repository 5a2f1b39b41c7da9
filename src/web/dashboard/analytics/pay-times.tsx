import type { AnalyticsTotal } from '../../api/calls.ts'
import { chartFormat } from '../../parts/chart-format.ts'
import { useReader } from '../../parts/reader.ts'
import { Section } from '../shell/record.tsx'
import { BigFigure } from './big-figure.tsx'
import { useBucketRows } from './money-chart.tsx'
import { hasTimes } from './period.ts'
import { type Measure, SeriesChart } from './series-chart.tsx'
import { useAnalyticsTexts } from './texts.ts'
import type { ShownFigures } from './use-figures.ts'

type PayTimesProps = {
  readonly figures: ShownFigures
  readonly total: AnalyticsTotal
  readonly of: 'payMs' | 'finalMs'
}

/** How long payments take: half of them, and all but the slowest. */
export const PayTimes = ({ figures, total, of }: PayTimesProps) => {
  const texts = useAnalyticsTexts()
  const reader = useReader()
  const { bucket, period, isOwnZone } = figures
  const rows = useBucketRows(figures, total.currency)
  const [name, title, what] =
    of === 'payMs'
      ? (['time-to-seen', texts.payTime, texts.payTimeWhat] as const)
      : (['time-to-final', texts.finalTime, texts.finalTimeWhat] as const)
  const measure = (key: 'p50' | 'p95', words: string): Measure => ({
    ...{ key, name: words, unit: 'duration' },
    of: row => row.total?.[of]?.[key] ?? null,
  })
  const half = total[of]?.p50
  return (
    <Section title={title}>
      {hasTimes(period, isOwnZone, bucket) ? (
        <SeriesChart
          {...{ name, rows, bucket, period }}
          label={title}
          kind="lines"
          currency={total.currency}
          first={measure('p50', texts.half)}
          second={measure('p95', texts.most)}
          aside={
            <BigFigure value={half === undefined ? '–' : chartFormat('duration', reader).exact(half)} note={what} />
          }
        />
      ) : (
        <p class="quiet">{texts.noTimes}</p>
      )}
    </Section>
  )
}
