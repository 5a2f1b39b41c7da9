import type { Report } from './promises.ts'
import type { BenchServer } from './server.ts'

/** What a bench is given: it measures, tells how it gets on, and reports what it found. */
export type Bench = {
  readonly quick: boolean
  readonly server: BenchServer
  readonly say: (line: string) => void
  readonly report: Report
}
