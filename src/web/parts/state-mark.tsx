/**
 * The shapes of states, on a grid of 16. A shape says the same as its colour and its word. What is cut out of it has the
 * colour `--on`, the ground on which it stands.
 */
const shapes = {
  /** To come. */
  next: 'O6',
  /** The current one. */
  now: 'O6 D2.8',
  /** It was passed. */
  passed: 'D4.5',
  /** The end of the main path is reached. */
  done: 'D7 m4.8 8.3 2.2 2.2 4.2-4.7',
  /** It needs someone. */
  warn: 'T M8 6v4m0 2.2h.01',
  /** It ended badly. */
  bad: 'D7 m5.5 5.5 5 5m0-5-5 5',
  /** Its time is over. */
  over: 'O5.75 M5.5 8h5',
  /** Canceled or deactivated by a member or by the shop's server. */
  off: 'O5.75 m4.2 11.8 7.6-7.6',
  info: 'D7 M8 7.3v4m0-6.6h.01',
} as const

export type StateShape = keyof typeof shapes

/** The parts of a shape: `O` a ring, `D` a disc, `T` a triangle; then a path, cut out of a disc or triangle. */
const partsOf = (shape: StateShape) => {
  const [first = '', ...rest] = shapes[shape].split(' ')
  const inner = rest[0]?.startsWith('D') ? rest.shift() : undefined
  return {
    kind: first.charAt(0),
    radius: Number(first.slice(1)),
    dot: inner && Number(inner.slice(1)),
    path: rest.join(' '),
  }
}

/** Only the content, for a drawing of several marks. */
export const MarkContent = ({ shape }: { readonly shape: StateShape }) => {
  const { kind, radius, dot, path } = partsOf(shape)
  const isRing = kind === 'O'
  return (
    <>
      {kind === 'T' ? (
        <path d="M8 1.3 15.3 14.3H.7z" fill="currentColor" stroke="currentColor" stroke-linejoin="round" />
      ) : (
        <circle
          cx="8"
          cy="8"
          r={radius}
          fill={isRing ? 'none' : 'currentColor'}
          stroke={isRing ? 'currentColor' : undefined}
          stroke-width="1.6"
        />
      )}
      {dot !== undefined && <circle cx="8" cy="8" r={dot} fill="currentColor" />}
      {path && (
        <path
          d={path}
          fill="none"
          stroke={isRing ? 'currentColor' : 'var(--on, var(--ground))'}
          stroke-width="1.8"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      )}
    </>
  )
}

export const StateMark = ({ shape }: { readonly shape: StateShape }) => (
  <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
    <MarkContent shape={shape} />
  </svg>
)
