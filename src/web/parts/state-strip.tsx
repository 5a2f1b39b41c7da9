import type { ComponentChildren } from 'preact'
import type { BadgeTone } from './badge.tsx'
import { MarkContent, StateMark, type StateShape } from './state-mark.tsx'

/** The main path of a machine, and how far a record got. */
export type StatePath = {
  /** The words of the main path. */
  readonly words: readonly string[]
  /** The place of the current one. */
  readonly at: number
  /** The shape of the current one: an exception is marked where it happened. */
  readonly shape?: StateShape
  readonly tone?: BadgeTone
  /** The word instead of that of the main path: `Underpaid`. */
  readonly word?: string
}

const wordAt = ({ words, at, word }: StatePath, n: number): string => (n === at && word ? word : (words[n] ?? ''))

const shapeAt = ({ at, shape = 'now' }: StatePath, n: number): StateShape => {
  if (n === at) return shape
  return n < at ? 'passed' : 'next'
}

type StateStripProps = {
  readonly label: string
  readonly path: StatePath
  /** Under the word of each: when it was reached, what is missing. */
  readonly notes?: readonly ComponentChildren[]
}

/** Across the page, under the head of a record. */
export const StateStrip = ({ label, path, notes = [] }: StateStripProps) => (
  <ol class="states" aria-label={label}>
    {path.words.map((word, n) => (
      <li
        key={word}
        data-at={n < path.at ? 'passed' : n === path.at ? 'now' : 'next'}
        data-tone={n === path.at ? path.tone : undefined}
        aria-current={n === path.at ? 'step' : undefined}
      >
        <StateMark shape={shapeAt(path, n)} />
        <b>{wordAt(path, n)}</b>
        <div>{notes[n]}</div>
      </li>
    ))}
  </ol>
)

/** Small, as the shape of a badge: a column of badges shows how far each record got. */
export const StateBadge = ({ path }: { readonly path: StatePath }) => (
  <span class="badge" data-tone={path.tone}>
    <SmallStrip path={path} />
    {wordAt(path, path.at)}
  </span>
)

/** Marks of 12 units, and small circles 11 units apart. */
const SmallStrip = ({ path }: { readonly path: StatePath }) => {
  const centers = path.words.map((_, n) => 6 + 11 * n)
  const reach = (n: number) => (n === path.at ? 6 : 3.5)
  return (
    <svg
      class="way"
      viewBox={`0 0 ${11 * centers.length + 1} 12`}
      width={11 * centers.length + 1}
      height="12"
      aria-hidden="true"
    >
      {centers.slice(1).map((x, n) => (
        <path
          key={x}
          d={`M${x - 11 + reach(n)} 6H${x - reach(n + 1)}`}
          stroke="currentColor"
          stroke-width="1.2"
          opacity={n < path.at ? 1 : 0.4}
        />
      ))}
      {centers.map((x, n) => {
        if (n < path.at) return <circle key={x} cx={x} cy="6" r="2.75" fill="currentColor" />
        if (n > path.at)
          return <circle key={x} cx={x} cy="6" r="2.25" fill="none" stroke="currentColor" opacity="0.5" />
        return (
          <g key={x} transform={`translate(${x - 6} 0) scale(.75)`}>
            <MarkContent shape={shapeAt(path, n)} />
          </g>
        )
      })}
    </svg>
  )
}
