import { setTimeout as sleep } from 'node:timers/promises'
import { startProgram } from './program.ts'
import { clockMs } from './webhooks-clock.ts'

/** Servers of merchants, in a process of their own. */
export type Receiver = AsyncDisposable & {
  readonly port: number
  readonly pid: number
  /** Requests so far. */
  counts(): Promise<Counts>
  /** When the first request of each event arrived, by its webhook-id; waits until there is one. */
  times(): Promise<ReadonlyMap<string, number>>
  reset(): Promise<void>
}

export type Counts = {
  readonly answered: number
  readonly silent: number
  /** Without a signature or a body. */
  readonly wrong: number
  /** Different events among the answered requests. */
  readonly distinct: number
}

/** `localhost`: with a certificate for that name, which needs no resolver of the bench. */
export const startReceiver = async (name: 'receivers.test' | 'localhost' = 'receivers.test'): Promise<Receiver> => {
  const program = await startProgram('./webhooks-receiver-program.ts', name)
  const said = JSON.parse(program.output) as { port: number; counts: number }
  const ask = (path: string) => fetch(`http://127.0.0.1:${said.counts}${path}`)
  return {
    port: said.port,
    pid: program.pid,
    counts: async () => (await (await ask('/counts')).json()) as Counts,
    times: async () => new Map((await (await ask('/times')).json()) as [string, number][]),
    reset: async () => void (await ask('/reset')),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}

/** A count and the time when it was read. */
export type Mark = { readonly at: number; readonly count: number }

/** Reads the count of answered requests until it reaches `until`, or the time is over. */
export const watchCount = async (
  { counts }: Receiver,
  { until, forMs = 120_000 }: { readonly until: number; readonly forMs?: number },
): Promise<readonly Mark[]> => {
  const marks: Mark[] = []
  const began = clockMs()
  for (;;) {
    const { answered } = await counts()
    const at = clockMs()
    marks.push({ at, count: answered })
    if (answered >= until || at - began > forMs) return marks
    await sleep(20)
  }
}

/** Requests per second between two readings: the first with this count, and the first with this many more. */
export const rateBetween = (marks: readonly Mark[], from: number, to: number): number => {
  const began = marks.find(({ count }) => count >= from)
  const ended = marks.find(({ count }) => count >= to)
  if (!began || !ended || ended.at <= began.at) return Number.NaN
  return ((ended.count - began.count) / (ended.at - began.at)) * 1_000
}
