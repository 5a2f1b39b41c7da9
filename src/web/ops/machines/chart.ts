export type ChartPoint = readonly [x: number, y: number]

/** Where the states and arrows of a machine are, in pixels. */
export type Chart = {
  readonly width: number
  readonly height: number
  /** The line that leads to the initial state. */
  readonly start: readonly ChartPoint[]
  /** The corner of each box. */
  readonly states: Readonly<Record<string, ChartPoint>>
  readonly arrows: readonly {
    readonly from: string
    readonly to: string
    readonly points: readonly ChartPoint[]
    readonly label: ChartPoint
  }[]
}

/** A long name leaves room for the number beside it. */
export const boxSizeOf = (state: string): { readonly width: number; readonly height: number } => ({
  width: Math.max(192, state.length * LETTER + BESIDE),
  height: 84,
})

const LETTER = 7.5
const BESIDE = 90

/** The events on an arrow, one per line. `after.expiry.payment-link.active` is `after expiry`. */
export const labelLines = (events: readonly string[]): readonly string[] =>
  events.map(event => event.replace(/^after\.(\w+)\..*$/, 'after $1'))
