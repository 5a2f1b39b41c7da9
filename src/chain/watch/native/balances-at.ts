import { openBatchSizer } from '../../rpc/batch-sizer.ts'
import { type Rpc, RpcRefusal } from '../../rpc/rpc.ts'
import { type BlockRef, balanceCall, balanceOf } from './balance-call.ts'
import { asRefusal, orPruned, retryRefused } from './pruned-states.ts'

/**
 * Reads balances from the highest block down until no node has the state: where one is pruned, so are all lower ones.
 * Nodes answer some calls of a batch and refuse the others; the refused ones are asked again in smaller batches.
 */
export const openBalancesAt = (rpc: Rpc) => {
  const sizer = openBatchSizer()

  return async (address: string, places: readonly BlockRef[]): Promise<readonly (bigint | undefined)[]> => {
    const known = new Map<number, bigint>()
    const askAll = (part: readonly BlockRef[]) =>
      rpc.read(
        part.map(place => balanceCall(address, place)),
        answers => {
          const first = answers[0]
          // Another node may answer some of them.
          if (first instanceof RpcRefusal && answers.every(answer => answer instanceof RpcRefusal)) throw first
          return answers.map(answer => (answer instanceof RpcRefusal ? undefined : balanceOf(answer)))
        },
      )
    const ask = (place: BlockRef) => rpc.read([balanceCall(address, place)], ([answer]) => balanceOf(answer))
    /** One call on its own, which a node answers that was asked too much at once. */
    const askHighest = (place: BlockRef) => {
      const newer = places.find(({ number }) => number > place.number && known.has(number))
      const isLowest = places.every(({ number }) => number >= place.number || !known.has(number))
      if (!newer || !isLowest) return retryRefused(() => ask(place))
      return orPruned(
        () => ask(place),
        () => ask(newer),
      )
    }

    for (let left = places.toReversed(); left[0]; left = left.filter(({ number }) => !known.has(number))) {
      const part = left.slice(0, sizer.sizeFor(left.length))
      const balances = await askAll(part).catch(asRefusal)
      if (balances instanceof RpcRefusal) {
        const balance = await askHighest(left[0])
        if (balance === 'pruned') break
        known.set(left[0].number, balance)
        if (part.length > 1) sizer.refused(part.length)
        continue
      }
      for (const [at, balance] of balances.entries()) {
        const place = part[at]
        if (place && balance !== undefined) known.set(place.number, balance)
      }
      if (!balances.includes(undefined)) sizer.succeeded(part.length)
    }
    return places.map(({ number }) => known.get(number))
  }
}
