/** The balance of an address after a block. */
export type Point = { readonly number: number; readonly balance: bigint }

/** A recorded transfer of native currency to an address. */
export type KnownTransfer = { readonly blockNumber: number; readonly amount: bigint }

/** A block with another balance than the recorded transfers explain: higher by an amount, or lower. */
export type Change = Point & { readonly amount: bigint }

/**
 * Reads balances at blocks, undefined where the state is pruned. The last block must have a state, which proves that
 * the others are pruned.
 */
export type BalancesAt = (numbers: readonly number[]) => Promise<readonly (bigint | undefined)[]>

/**
 * Finds the blocks between two points in which a balance changed other than by recorded transfers, the lowest first. A
 * fall is a collection and never counts as money. Changes are found as far back as nodes have states: what arrived
 * earlier counts in the lowest block with a state, and a collection before that block hides as much as it took. What
 * arrived and was collected between two queried blocks, or arrived in the block of a collection, is not found either:
 * only the sum shows.
 */
export const findChanges = async (
  from: Point,
  to: Point,
  known: readonly KnownTransfer[],
  balancesAt: BalancesAt,
  most = 8,
): Promise<readonly Change[]> => {
  const changes: Change[] = []
  for (let base = from; changes.length < most; ) {
    const expected = (number: number) => base.balance + sumOf(known, base.number, number)
    if (to.balance === expected(to.number)) break
    const found = await firstUnexpected(base.number, to, expected, balancesAt)
    changes.push({ ...found, amount: found.balance - expected(found.number) })
    base = found
  }
  return changes
}

export const sumOf = (known: readonly KnownTransfer[], after: number, upTo: number): bigint =>
  known.reduce((sum, { blockNumber, amount }) => (blockNumber > after && blockNumber <= upTo ? sum + amount : sum), 0n)

/** Blocks in one request, so that a hundred blocks take two requests. */
const PROBES = 15

/** The balance at `low` is as expected, or its state is pruned; that at `high` is not. */
const firstUnexpected = async (
  from: number,
  to: Point,
  expected: (number: number) => bigint,
  balancesAt: BalancesAt,
): Promise<Point> => {
  let low = from
  let high = to
  while (high.number - low > 1) {
    const numbers = between(low, high.number)
    const balances = await balancesAt([...numbers, high.number])
    const at = numbers.findIndex((number, n) => balances[n] !== undefined && balances[n] !== expected(number))
    const [number, balance] = [numbers[at], balances[at]]
    if (number !== undefined && balance !== undefined) high = { number, balance }
    low = numbers.findLast(each => each < high.number) ?? low
  }
  return high
}

const between = (low: number, high: number): readonly number[] => {
  const count = Math.min(PROBES, high - low - 1)
  return Array.from({ length: count }, (_, n) => low + Math.floor(((high - low) * (n + 1)) / (count + 1)))
}
