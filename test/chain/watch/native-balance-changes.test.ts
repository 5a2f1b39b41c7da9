import { expect, test } from 'bun:test'
import { findChanges, type KnownTransfer } from '../../../src/chain/watch/native/balance-changes.ts'
import { randomOf } from '../../harness/random.ts'

const HEAD = 300

type History = {
  /** The balance after each block. */
  readonly balances: readonly bigint[]
  readonly known: readonly KnownTransfer[]
  /** The unrecorded transfers, by block. */
  readonly unknown: ReadonlyMap<number, bigint>
}

/** Random transfers and, unless disabled, collections in blocks of their own. */
const history = (random: () => number, events: number, collected: boolean): History => {
  const known: KnownTransfer[] = []
  const unknown = new Map<number, bigint>()
  const collections = new Set<number>()
  for (let event = 0; event < events; event++) {
    const number = 1 + Math.floor(random() * HEAD)
    const amount = BigInt(1 + Math.floor(random() * 5))
    const kind = random()
    if (kind < 0.4) known.push({ blockNumber: number, amount })
    else if (kind < 0.8 || !collected) unknown.set(number, (unknown.get(number) ?? 0n) + amount)
    else collections.add(number)
  }
  const balances = [0n]
  for (let number = 1; number <= HEAD; number++) {
    const sent = known.reduce((sum, each) => (each.blockNumber === number ? sum + each.amount : sum), 0n)
    const before = collections.has(number) ? 0n : (balances[number - 1] ?? 0n)
    balances.push(before + sent + (unknown.get(number) ?? 0n))
  }
  return { balances, known, unknown }
}

const find = ({ balances, known }: History, { statesFrom = 0, looksEvery = HEAD } = {}) => {
  const asked = async (numbers: readonly number[]) =>
    numbers.map(number => (number < statesFrom ? undefined : balances[number]))
  const check = async () => {
    const rises: { readonly number: number; readonly amount: bigint }[] = []
    let from = { number: 0, balance: 0n }
    for (let number = looksEvery; number <= HEAD; number += looksEvery) {
      const to = { number, balance: balances[number] ?? 0n }
      const changes = await findChanges(from, to, known, asked, 100)
      rises.push(...changes.filter(({ amount }) => amount > 0n))
      from = to
    }
    return rises
  }
  return check()
}

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((all, each) => all + each, 0n)

test('without collections every transfer is found in its block', async () => {
  for (let seed = 0; seed < 200; seed++) {
    const made = history(randomOf(seed), 1 + (seed % 12), false)
    const found = await find(made)
    const expected = [...made.unknown].toSorted(([a], [b]) => a - b).map(([number, amount]) => ({ number, amount }))
    expect({ seed, found: found.map(({ number, amount }) => ({ number, amount })) }).toEqual({ seed, found: expected })
  }
})

test.each([HEAD, 60, 10, 1])(
  'with collections no block brings more than came in it, looking every %d blocks',
  async looksEvery => {
    for (let seed = 0; seed < 200; seed++) {
      const made = history(randomOf(seed), 1 + (seed % 12), true)
      for (const { number, amount } of await find(made, { looksEvery })) {
        const most = made.unknown.get(number) ?? 0n
        expect({ seed, number, isMore: amount > most }).toEqual({ seed, number, isMore: false })
      }
    }
  },
)

test('where states are pruned the sum is never more than what arrived', async () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = randomOf(seed)
    const made = history(random, 1 + (seed % 12), seed % 2 === 0)
    const found = await find(made, { statesFrom: Math.floor(random() * HEAD) })
    const isMore = sum(found.map(({ amount }) => amount)) > sum(made.unknown.values())
    expect({ seed, isMore }).toEqual({ seed, isMore: false })
  }
})

test('a transfer in one of twenty million blocks is found with seven requests', async () => {
  let requests = 0
  const asked = async (numbers: readonly number[]) => {
    requests++
    return numbers.map(number => (number < 12_345_678 ? 0n : 9n))
  }
  const from = { number: 0, balance: 0n }
  const found = await findChanges(from, { number: 20_000_000, balance: 9n }, [], asked)
  expect([found, requests <= 7]).toEqual([[{ number: 12_345_678, balance: 9n, amount: 9n }], true])
})
