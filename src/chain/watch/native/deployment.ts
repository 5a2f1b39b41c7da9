/** Whether an address had code after a block. Undefined where the state is pruned. */
export type HasCodeAt = (number: number) => Promise<boolean | undefined>

/**
 * Finds the block in which an address got its code, between `after` (without code) and `upTo` (with code). Undefined
 * where the states around that block are pruned. A deposit address gets its code with its first collection.
 */
export const findDeploymentBlock = async (
  hasCodeAt: HasCodeAt,
  after: number,
  upTo: number,
): Promise<number | undefined> => {
  let [low, high] = [after, upTo]
  let isLowKnown = true
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    const hasCode = await hasCodeAt(middle)
    if (hasCode) high = middle
    else [low, isLowKnown] = [middle, hasCode === false]
  }
  return isLowKnown ? high : undefined
}
