/** What an address held after a block. */
export type Point = { readonly number: number; readonly balance: bigint }

/** Coins that the books know to have come to it. */
export type KnownTransfer = { readonly blockNumber: number; readonly amount: bigint }

/** A block after which another balance is there than the books explain: more by an amount, or less. */
export type Change = Point & { readonly amount: bigint }

/** Undefined where the state is gone. That it is shows in that the last of them has one: it is known to. */
export type BalancesAt = (numbers: readonly number[]) => Promise<readonly (bigint | undefined)[]>

/**
 * Finds the blocks between two points in which a balance changed other than by what is known, the lowest first. A
 * fall is a collection; no money is ever made of it. As far back as nodes have states, that is: what came before
 * counts in the lowest block that has one, and a collection before it hides as much as it took. Nor is found what
 * came and was collected between two blocks that are asked about, or came in the very block of a collection: all
 * that shows is the sum.
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

/** Asked at once, so that a hundred blocks take two questions. */
const PROBES = 15

/** The balance at `low` is as expected, or its state is gone; that at `high` is not. */
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
