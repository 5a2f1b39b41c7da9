import { useId } from 'preact/hooks'
import type { ChartFormat } from './chart-format.ts'
import { useReadout } from './chart-readout.ts'
import { ChartBars, ChartGrid, ChartLines, type TimePoint } from './chart-shapes.tsx'
import { ticksOf } from './chart-ticks.ts'

type ChartProps = {
  readonly label: string
  /** In one sentence what the chart shows, for those who do not see it. */
  readonly summary: string
  readonly kind: 'bars' | 'lines'
  readonly points: readonly TimePoint[]
  readonly format: ChartFormat
  /** The names of both series; one alone has none. */
  readonly names?: readonly [first: string, second: string] | undefined
  /** Instead of a value that does not exist. */
  readonly none: string
  readonly tall?: boolean
}

/**
 * Values in time. The SVG is stretched, the words beside it are not. The arrow keys go from point to point: a slider that
 * cannot be set is what screen readers know for that.
 */
export const TimeChart = ({ label, summary, kind, points, format, names, none, tall }: ChartProps) => {
  const id = useId()
  const { at, read, handlers } = useReadout(points.length, kind)
  const values = points.flatMap(({ value, second }) => [value ?? 0, second ?? 0])
  const ticks = ticksOf(Math.max(0, ...values), format.unit)
  const [top, step] = [ticks.at(-1) ?? 1, ticks[1] ?? 1]
  const written = (value: number | null | undefined) => (value == null ? none : format.exact(value))
  const point = points[read]
  const shown = at === undefined ? undefined : points[at]
  const x = (n: number) => placeOf(n, points.length, kind)
  const secondText = (one: TimePoint) =>
    names && one.second !== undefined ? `${names[1]}: ${written(one.second)}` : ''
  return (
    <div class="chart" data-tall={tall}>
      {names && (
        <p class="chart__names" aria-hidden="true">
          {names.map((name, n) => (
            <span key={name} data-bar={kind === 'bars' && n === 0}>
              {name}
            </span>
          ))}
        </p>
      )}
      <div class="chart__values" aria-hidden="true">
        {ticks.toReversed().map(tick => (
          <span key={tick}>{format.tick(tick, step)}</span>
        ))}
      </div>
      <div
        class="chart__plot"
        role="slider"
        tabIndex={0}
        aria-readonly="true"
        aria-label={label}
        aria-describedby={id}
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={read + 1}
        aria-valuetext={
          point && [`${point.name}: ${written(point.value)}`, secondText(point)].filter(Boolean).join(', ')
        }
        {...handlers}
      >
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <ChartGrid count={ticks.length} />
          {kind === 'bars' ? <ChartBars points={points} top={top} at={at} /> : <ChartLines points={points} top={top} />}
        </svg>
        {shown && at !== undefined && (
          <>
            <span class="chart__at" style={{ left: `${x(at)}%` }} />
            <span
              class="chart__tip"
              data-side={x(at) < 30 ? 'start' : x(at) > 70 ? 'end' : 'middle'}
              style={{ left: `${x(at)}%` }}
            >
              <b>{written(shown.value)}</b>
              <span>{shown.name}</span>
              {secondText(shown) && <span>{secondText(shown)}</span>}
            </span>
          </>
        )}
      </div>
      <p id={id} class="sr">
        {summary}
      </p>
      <div class="chart__times" aria-hidden="true">
        {labeled(points.length).map(n => (
          <span key={n} style={{ left: `${x(n)}%` }}>
            {points[n]?.label}
          </span>
        ))}
      </div>
    </div>
  )
}

/** In percent of the width. */
const placeOf = (n: number, count: number, kind: 'bars' | 'lines'): number =>
  kind === 'bars' ? ((n + 0.5) / count) * 100 : count < 2 ? 50 : (n / (count - 1)) * 100

/** The first, the last, and at most three between them. */
const labeled = (count: number): readonly number[] =>
  count <= 5 ? Array.from({ length: count }, (_, n) => n) : [0, 1, 2, 3, 4].map(n => Math.round((n * (count - 1)) / 4))
