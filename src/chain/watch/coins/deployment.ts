/** Whether an address had code after a block. Undefined where no node has the state any more. */
export type HasCodeAt = (number: number) => Promise<boolean | undefined>

/**
 * The block in which an address got its code: it has none at `after`, and has some at `upTo`. Undefined where the states
 * around that block are gone. A deposit address gets its code when it is collected from for the first time.
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
