export type TimePoint = {
  readonly key: string
  /** On the axis. */
  readonly label: string
  /** In full, where the value is read. */
  readonly name: string
  /** Null: there is nothing that could be measured. */
  readonly value: number | null
  /** Of the second series. */
  readonly second?: number | null | undefined
  /** The time has not ended yet. */
  readonly isPartial?: boolean
}

/** All are drawn on a square of 100, which is stretched. */

export const ChartGrid = ({ count }: { readonly count: number }) => (
  <path
    class="chart__grid"
    d={Array.from({ length: count }, (_, n) => `M0 ${rounded((n * 100) / (count - 1))}h100`).join('')}
  />
)

type ShapesProps = { readonly points: readonly TimePoint[]; readonly top: number }

export const ChartBars = ({ points, top, at }: ShapesProps & { readonly at: number | undefined }) => {
  const width = 100 / points.length
  return (
    <>
      {points.map(({ key, value, isPartial }, n) => {
        // The least of what can be seen, unless it is zero.
        const height = value ? Math.max(1, rounded((value / top) * 100)) : 0
        return (
          <rect
            key={key}
            class="chart__bar"
            data-partial={isPartial}
            data-at={n === at}
            x={rounded((n + 0.16) * width)}
            y={100 - height}
            width={rounded(0.68 * width)}
            height={height}
          />
        )
      })}
      <path class="chart__line" data-second d={lineOf(points, 'second', top, n => (n + 0.5) * width)} />
    </>
  )
}

export const ChartLines = ({ points, top }: ShapesProps) => {
  const x = (n: number) => (points.length < 2 ? 50 : (n * 100) / (points.length - 1))
  const first = lineOf(points, 'value', top, x)
  const ended = points.map(point => (point.isPartial ? { ...point, value: null } : point))
  const open = points.map((point, n) =>
    point.isPartial || points[n + 1]?.isPartial ? point : { ...point, value: null },
  )
  // Below a line that is interrupted there would be an area that stands for nothing.
  const isWhole = points.length > 1 && points.every(({ value }) => value !== null)
  return (
    <>
      {isWhole && <path class="chart__area" d={`${first}L100 100L0 100Z`} />}
      <path class="chart__line" data-second d={lineOf(points, 'second', top, x)} />
      <path class="chart__line" d={lineOf(ended, 'value', top, x)} />
      <path class="chart__line" data-partial d={lineOf(open, 'value', top, x)} />
      <path class="chart__line" data-alone data-second d={lineOf(alone(points, 'second'), 'second', top, x)} />
      <path class="chart__line" data-alone d={lineOf(alone(points, 'value'), 'value', top, x)} />
    </>
  )
}

/** Without the points that have a neighbor: those are seen as a line. */
const alone = (points: readonly TimePoint[], series: 'value' | 'second'): readonly TimePoint[] =>
  points.map((point, n) =>
    points[n - 1]?.[series] == null && points[n + 1]?.[series] == null ? point : { ...point, [series]: null },
  )

/** A point between two gaps is a line without length, which has round ends. */
const lineOf = (
  points: readonly TimePoint[],
  series: 'value' | 'second',
  top: number,
  x: (n: number) => number,
): string => {
  let isOpen = false
  return points
    .map((point, n) => {
      const value = point[series]
      if (value == null) {
        isOpen = false
        return ''
      }
      const place = `${rounded(x(n))} ${rounded(100 - (value / top) * 100)}`
      const begun = isOpen
      isOpen = true
      return begun ? `L${place}` : `M${place}h0`
    })
    .join('')
}

const rounded = (value: number): number => Math.round(value * 100) / 100
