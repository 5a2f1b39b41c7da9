import { percentile } from './promises.ts'

/** The measurements of callers that each wait for a response before the next call. */
export type Load = {
  readonly done: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/** One call; `turn` counts the calls of this caller from 0. */
export type Call = (caller: number, turn: number) => Promise<unknown>

/** This many callers at the same time, for this long. */
export const callFor = async (callers: number, forMs: number, call: Call): Promise<Load> => {
  const latencies: number[] = []
  const began = performance.now()
  const one = async (caller: number): Promise<void> => {
    for (let turn = 0, asked = began; asked < began + forMs; turn++) {
      await call(caller, turn)
      const answered = performance.now()
      latencies.push(answered - asked)
      asked = answered
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => one(caller)))
  // Includes the last responses, so that only finished calls count.
  const tookMs = performance.now() - began
  return {
    done: latencies.length,
    perSecond: (latencies.length / tookMs) * 1_000,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  }
}

/** This many callers at the same time until the calls are done. Returns the milliseconds. */
export const callTimes = async (
  callers: number,
  calls: number,
  call: (n: number) => Promise<unknown>,
): Promise<number> => {
  let next = 0
  const one = async (): Promise<void> => {
    while (next < calls) await call(next++)
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: Math.min(callers, calls) }, one))
  return performance.now() - began
}

/**
 * The costs of two calls that are compared. They are measured in short turns, because disturbances of the machine
 * last longer than a turn. Each pair starts with the call that the previous pair ended with.
 */
export const inTurns = async (
  pairs: number,
  costOfOne: () => Promise<number>,
  costOfOther: () => Promise<number>,
): Promise<readonly (readonly [one: number, other: number])[]> => {
  const costs: [number, number][] = []
  for (let n = 0; n < pairs; n++) {
    if (n % 2 === 0) {
      const one = await costOfOne()
      costs.push([one, await costOfOther()])
    } else {
      const other = await costOfOther()
      costs.push([await costOfOne(), other])
    }
  }
  return costs
}

/** Microseconds per call with this many callers. */
export const costOf = async (callers: number, forMs: number, call: Call): Promise<number> =>
  1_000_000 / (await callFor(callers, forMs, call)).perSecond
