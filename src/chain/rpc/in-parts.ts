import { isTooLarge, mayBeTooMuch } from './rpc.ts'
import { openStride } from './stride.ts'

/**
 * Asks part by part, and a part in halves where it is refused or too large; a stride that is given remembers how
 * much that is. Undefined as soon as one says nothing.
 */
export const inParts = async <T, R>(
  all: readonly T[],
  most: number,
  ask: (part: readonly T[]) => Promise<readonly R[] | null | undefined>,
  stride = openStride(),
): Promise<readonly R[] | undefined> => {
  const results: R[] = []
  for (let from = 0; from < all.length; ) {
    const part = all.slice(from, from + stride.of(Math.min(most, all.length - from)))
    try {
      const result = await ask(part)
      if (!result) return undefined
      stride.went(part.length)
      for (const each of result) results.push(each)
      from += part.length
    } catch (error) {
      // A part that took too long is asked in halves next time, but by a caller who can tell an outage.
      if (mayBeTooMuch(error)) stride.refused(part.length)
      if (part.length === 1 || !isTooLarge(error)) throw error
    }
  }
  return results
}
