import { openBatchSizer } from '../../rpc/batch-sizer.ts'
import { type Rpc, RpcRefusal } from '../../rpc/rpc.ts'
import { type BlockRef, balanceCall, balanceOf } from './balance-call.ts'
import { askAgain, orRefusal, toldOrGone } from './states.ts'

/**
 * Goes back from the highest block, and on with whatever was not told, until no more is: where the next one is gone,
 * so are all before it. Nodes tell of some in a batch and refuse the others, and each part is that much smaller.
 */
export const openBalancesAt = (rpc: Rpc) => {
  const stride = openBatchSizer()

  return async (address: string, places: readonly BlockRef[]): Promise<readonly (bigint | undefined)[]> => {
    const told = new Map<number, bigint>()
    const askAll = (part: readonly BlockRef[]) =>
      rpc.read(
        part.map(place => balanceCall(address, place)),
        answers => {
          const first = answers[0]
          // The next node may tell of some.
          if (first instanceof RpcRefusal && answers.every(answer => answer instanceof RpcRefusal)) throw first
          return answers.map(answer => (answer instanceof RpcRefusal ? undefined : balanceOf(answer)))
        },
      )
    const ask = (place: BlockRef) => rpc.read([balanceCall(address, place)], ([answer]) => balanceOf(answer))
    /** By itself, which a node that was asked too much at once answers. */
    const askHighest = (place: BlockRef) => {
      const newer = places.find(({ number }) => number > place.number && told.has(number))
      const isLowest = places.every(({ number }) => number >= place.number || !told.has(number))
      if (!newer || !isLowest) return askAgain(() => ask(place))
      return toldOrGone(
        () => ask(place),
        () => ask(newer),
      )
    }

    for (let left = places.toReversed(); left[0]; left = left.filter(({ number }) => !told.has(number))) {
      const part = left.slice(0, stride.sizeFor(left.length))
      const balances = await askAll(part).catch(orRefusal)
      if (balances instanceof RpcRefusal) {
        const balance = await askHighest(left[0])
        if (balance === 'gone') break
        told.set(left[0].number, balance)
        if (part.length > 1) stride.refused(part.length)
        continue
      }
      for (const [at, balance] of balances.entries()) {
        const place = part[at]
        if (place && balance !== undefined) told.set(place.number, balance)
      }
      if (!balances.includes(undefined)) stride.succeeded(part.length)
    }
    return places.map(({ number }) => told.get(number))
  }
}
