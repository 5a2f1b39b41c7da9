import type { Machine } from '../../api/ops-calls.ts'
import { useReader } from '../../parts/reader.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { boxSizeOf, type Chart, type ChartPoint, labelLines } from './chart.ts'

type MachineChartProps = {
  readonly chart: Chart
  readonly machine: Machine
  readonly selected: string | undefined
  /** Undefined: the counts are how often one actor was in the state and took the arrow. */
  readonly stayingCount?: (state: string) => number
  readonly onSelect: (state: string) => void
}

/** The states as buttons over the drawing of the arrows. A table beside it has the same for screen readers. */
export const MachineChart = ({ chart, machine, selected, stayingCount, onSelect }: MachineChartProps) => {
  const { machines: texts } = useOpsTexts()
  const total = machine.states.reduce((sum, { count }) => sum + count, 0)
  const { width, height } = chart
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways in narrow windows, also by keyboard
    <section class="chart" aria-label={texts.chart(texts.kinds[machine.kind])} tabIndex={0}>
      <div class="chart__sheet" style={{ '--width': `${width}px`, '--height': `${height}px` }}>
        <Arrows chart={chart} machine={machine} />
        {machine.states.map(state => (
          <StateBox
            key={state.state}
            state={state}
            place={chart.states[state.state] ?? [0, 0]}
            share={total === 0 ? 0 : state.count / total}
            staying={stayingCount?.(state.state)}
            isSelected={state.state === selected}
            onSelect={() => onSelect(state.state)}
          />
        ))}
      </div>
    </section>
  )
}

type StateBoxProps = {
  readonly state: Machine['states'][number]
  readonly place: ChartPoint
  readonly share: number
  readonly staying: number | undefined
  readonly isSelected: boolean
  readonly onSelect: () => void
}

const StateBox = ({ state, place: [x, y], share, staying, isSelected, onSelect }: StateBoxProps) => {
  const { machines: texts } = useOpsTexts()
  const { formats } = useReader()
  return (
    <button
      type="button"
      class="chart__state"
      aria-pressed={isSelected}
      style={{ '--x': `${x}px`, '--y': `${y}px`, '--w': `${boxSizeOf(state.state).width}px` }}
      onClick={onSelect}
    >
      <span class="chart__name">
        <code>{state.state}</code>
        <b>{staying === undefined ? null : formats.count(state.count)}</b>
      </span>
      {staying === undefined ? (
        <span>{state.count === 0 ? texts.notVisited : texts.visits(formats.count(state.count))}</span>
      ) : (
        <>
          <span>{staysText(state, texts, formats)}</span>
          <span>{texts.stayEvents(formats.count(staying))}</span>
          <span class="chart__share">
            <span style={{ width: `${share * 100}%` }} />
          </span>
        </>
      )}
    </button>
  )
}

/** How long actors stay in a state. */
export const staysText = (
  { final, dwellMs }: Machine['states'][number],
  texts: ReturnType<typeof useOpsTexts>['machines'],
  formats: ReturnType<typeof useReader>['formats'],
): string => {
  if (final) return texts.final
  return dwellMs === null ? texts.noStays : texts.stays(formats.duration(dwellMs.p50), formats.duration(dwellMs.p95))
}

const MOST_WIDTH = 12

const Arrows = ({ chart, machine }: Pick<MachineChartProps, 'chart' | 'machine'>) => {
  const { formats } = useReader()
  const most = Math.max(1, ...machine.edges.map(({ count }) => count))
  return (
    <svg class="chart__arrows" width={chart.width} height={chart.height} aria-hidden="true">
      <defs>
        <marker id="chart-head" orient="auto" markerWidth="8" markerHeight="8" refX="7" refY="4">
          <path d="M0 0.5 8 4 0 7.5z" />
        </marker>
      </defs>
      {chart.start[0] && <circle class="chart__start" cx={chart.start[0][0]} cy={chart.start[0][1]} r="4" />}
      <path class="chart__line" d={pathOf(chart.start)} marker-end="url(#chart-head)" />
      {chart.arrows.map(({ from, to, points, label: [x, y] }) => {
        const edge = machine.edges.find(each => each.from === from && each.to === to)
        const count = edge?.count ?? 0
        const lines = labelLines(edge?.events ?? [])
        return (
          <g key={`${from} ${to}`} data-taken={count > 0}>
            {count > 0 && (
              <path class="chart__flow" d={pathOf(points)} stroke-width={2 + MOST_WIDTH * Math.sqrt(count / most)} />
            )}
            <path class="chart__line" d={pathOf(points)} marker-end="url(#chart-head)" />
            {lines.map((line, n) => (
              <text key={line} x={x} y={y + 12 + n * 16}>
                {line}
              </text>
            ))}
            <text class="chart__count" x={x} y={y + 12 + lines.length * 16}>
              {formats.count(count)}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

const RADIUS = 8

/** A line with rounded corners. */
const pathOf = (points: readonly ChartPoint[]): string =>
  points
    .map((point, n) => {
      const [before, after] = [points[n - 1], points[n + 1]]
      if (!before) return `M${point.join(' ')}`
      if (!after) return `L${point.join(' ')}`
      return `L${towards(point, before).join(' ')}Q${point.join(' ')} ${towards(point, after).join(' ')}`
    })
    .join('')

const towards = ([x, y]: ChartPoint, [otherX, otherY]: ChartPoint): ChartPoint => {
  const length = Math.hypot(otherX - x, otherY - y)
  const part = Math.min(RADIUS, length / 2) / (length || 1)
  return [x + (otherX - x) * part, y + (otherY - y) * part]
}
