import { isTooMuch } from '../../rpc/rpc.ts'

/** Asks part by part, and a part in halves where it is refused or too large. Undefined as soon as one says nothing. */
export const inParts = async <T, R>(
  all: readonly T[],
  most: number,
  ask: (part: readonly T[]) => Promise<readonly R[] | null | undefined>,
): Promise<readonly R[] | undefined> => {
  const results: R[] = []
  for (let from = 0, size = most; from < all.length; ) {
    const part = all.slice(from, from + size)
    try {
      const result = await ask(part)
      if (!result) return undefined
      for (const each of result) results.push(each)
      from += part.length
    } catch (error) {
      if (part.length === 1 || !isTooMuch(error)) throw error
      size = Math.ceil(part.length / 2)
    }
  }
  return results
}
