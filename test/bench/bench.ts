import type { Report } from './promises.ts'
import type { BenchServer } from './server.ts'

/** What a bench is given: it measures, tells how it gets on, and reports what it found. */
export type Bench = {
  readonly quick: boolean
  readonly server: BenchServer
  readonly say: (line: string) => void
  readonly report: Report
}

/** How much a bench measures, told before anything else. */
export const saySizes = ({ say }: Bench, sizes: Readonly<Record<string, number>>): void => {
  const told = Object.entries(sizes).map(([what, size]) => `${what} ${size}`)
  say(told.join(', '))
}
