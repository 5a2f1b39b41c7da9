import type { ComponentChildren } from 'preact'
import { chartFormat } from '../../parts/chart-format.ts'
import type { ChartUnit } from '../../parts/chart-ticks.ts'
import { useReader } from '../../parts/reader.ts'
import type { TableColumn } from '../../parts/table.tsx'
import { TimeChart } from '../../parts/time-chart.tsx'
import type { BucketRow } from './bucket-rows.ts'
import { fileNameOf, fileNumber, unitIn } from './chart-file.ts'
import { type ChartColumn, ChartView } from './chart-view.tsx'
import type { BucketName, FiguresPeriod } from './period.ts'
import { useAnalyticsTexts } from './texts.ts'

/** A value of a bucket. */
export type Measure = {
  readonly key: string
  readonly name: string
  readonly unit: ChartUnit
  /** Null: it cannot be measured. */
  readonly of: (row: BucketRow) => number | null
}

type SeriesChartProps = {
  readonly name: string
  readonly label: string
  readonly kind: 'bars' | 'lines'
  readonly rows: readonly BucketRow[]
  readonly bucket: BucketName
  readonly period: FiguresPeriod
  readonly currency: string
  /** The second series is of the same unit. */
  readonly first: Measure
  readonly second?: Measure | undefined
  /** In the table only. */
  readonly more?: readonly Measure[]
  readonly aside?: ComponentChildren
  readonly tall?: boolean
}

/** A chart of buckets, with its table and its file. */
export const SeriesChart = ({ name, label, kind, rows, bucket, period, currency, ...rest }: SeriesChartProps) => {
  const { first, second, more = [], aside, tall = false } = rest
  const texts = useAnalyticsTexts()
  const reader = useReader()
  const format = chartFormat(first.unit, reader, currency)
  const measured = rows.flatMap(row => {
    const value = first.of(row)
    return value === null ? [] : [{ row, value }]
  })
  const highest = measured.toSorted((a, b) => b.value - a.value)[0]
  const columns: readonly ChartColumn<BucketRow>[] = [
    {
      ...{ key: 'when', head: texts.heads[bucket], card: 1, cell: row => row.name },
      ...{ fileHead: texts.heads[bucket], fileCell: row => row.iso },
    },
    ...[first, ...(second ? [second] : []), ...more].map((measure, n) => {
      const { key, name: head, unit, of } = measure
      const { exact } = chartFormat(unit, reader, currency)
      return {
        ...{ key, head, end: true, card: cardOf(n), named: n > 0 },
        cell: (row: BucketRow) => written(of(row), exact),
        ...{
          fileHead: head + unitIn(unit, currency),
          fileCell: (row: BucketRow) => fileNumber(of(row), unit, currency),
        },
      }
    }),
  ]
  return (
    <ChartView
      {...{ name, label, columns, aside }}
      // People read the latest first; spreadsheets and programs expect a series in the order of time.
      rows={rows.toReversed()}
      fileRows={rows}
      keyOf={({ start }) => start}
      file={fileNameOf(name, period, currency)}
    >
      <TimeChart
        {...{ kind, format, tall }}
        label={`${label}, ${texts.by[bucket]}`}
        summary={highest ? texts.highest(highest.row.name, format.exact(highest.value)) : texts.noValues}
        none={texts.noValue}
        points={rows.map(row => ({
          ...{ key: row.start, label: row.label, name: row.name, isPartial: row.isPartial },
          value: first.of(row),
          ...(second && { second: second.of(row) }),
        }))}
        names={second && [first.name, second.name]}
      />
    </ChartView>
  )
}

const cards = [2, 3, 4, 5, 6, 7] as const satisfies readonly TableColumn<unknown>['card'][]

const cardOf = (n: number) => cards[Math.min(n, cards.length - 1)] ?? 7

const written = (value: number | null, exact: (value: number) => string) => (value === null ? null : exact(value))
