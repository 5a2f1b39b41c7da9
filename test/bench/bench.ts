import type { Report } from './promises.ts'
import type { BenchServer } from './server.ts'

/** What a bench gets: options, a function for progress lines, and the report for its results. */
export type Bench = {
  readonly quick: boolean
  readonly server: BenchServer
  readonly print: (line: string) => void
  readonly report: Report
}

/** For benches that open a server of their own. */
export type BenchOutput = Pick<Bench, 'print' | 'report'>

/** Prints the sizes that a bench measures. */
export const printSizes = ({ print }: BenchOutput, sizes: Readonly<Record<string, number>>): void => {
  const texts = Object.entries(sizes).map(([what, size]) => `${what} ${size}`)
  print(texts.join(', '))
}
