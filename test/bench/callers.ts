import { percentile } from './promises.ts'

/** What callers found who each waited for one answer before they asked again. */
export type Load = {
  readonly done: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/** Asks something; `turn` counts the caller's own questions from 0. */
export type Call = (caller: number, turn: number) => Promise<unknown>

/** So many callers at once, for so long. */
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
  // Until the last answer, so that nothing counts that was not yet done.
  const tookMs = performance.now() - began
  return {
    done: latencies.length,
    perSecond: (latencies.length / tookMs) * 1_000,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  }
}

/** So many callers at once, until so many calls are done; answers the milliseconds. */
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
 * What two cost that are measured against each other. Both in turns of a moment each, since a machine's moods
 * last longer than that; each pair begins with what the one before ended with.
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

/** Microseconds that a call costs by so many callers. */
export const costOf = async (callers: number, forMs: number, call: Call): Promise<number> =>
  1_000_000 / (await callFor(callers, forMs, call)).perSecond
