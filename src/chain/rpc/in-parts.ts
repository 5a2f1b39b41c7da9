import { openBatchSizer } from './batch-sizer.ts'
import { isTooLarge, mayBeTooLarge } from './rpc.ts'

/**
 * Calls `ask` for one part after the other, and for half of a part where it was refused or too large. A batch sizer
 * that is passed in keeps the size between calls. Returns undefined as soon as `ask` returns nothing.
 */
export const inParts = async <T, R>(
  all: readonly T[],
  maxPart: number,
  ask: (part: readonly T[]) => Promise<readonly R[] | null | undefined>,
  sizer = openBatchSizer(),
): Promise<readonly R[] | undefined> => {
  const results: R[] = []
  for (let from = 0; from < all.length; ) {
    const part = all.slice(from, from + sizer.sizeFor(Math.min(maxPart, all.length - from)))
    try {
      const result = await ask(part)
      if (!result) return undefined
      sizer.succeeded(part.length)
      for (const each of result) results.push(each)
      from += part.length
    } catch (error) {
      // A part that failed otherwise (a timeout, for example) is thrown, and smaller at the next call: only the caller
      // knows whether this is an outage.
      if (mayBeTooLarge(error)) sizer.refused(part.length)
      if (part.length === 1 || !isTooLarge(error)) throw error
    }
  }
  return results
}
