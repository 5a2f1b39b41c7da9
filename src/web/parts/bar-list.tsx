import type { ComponentChildren } from 'preact'

export type ListedBar = {
  readonly key: string
  readonly name: ComponentChildren
  readonly value: number
  /** The value, and what explains it. */
  readonly text: string
  readonly note?: string | undefined
}

type BarListProps = {
  readonly label: string
  readonly bars: readonly ListedBar[]
  /** What a whole bar stands for; without it, the largest one. */
  readonly top?: number
}

/** Things by their size. The words say all of it; the bars are for the eye. */
export const BarList = ({ label, bars, top = Math.max(1, ...bars.map(({ value }) => value)) }: BarListProps) => (
  <ol class="bars" aria-label={label}>
    {bars.map(({ key, name, value, text, note }) => (
      <li key={key}>
        <span class="bars__name">{name}</span>
        <span class="bars__value">
          {text}
          {note !== undefined && <small> {note}</small>}
        </span>
        <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect class="chart__bar" width={Math.max(0, Math.min(100, (value / top) * 100))} height="1" />
        </svg>
      </li>
    ))}
  </ol>
)
