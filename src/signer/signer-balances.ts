import type { Hex } from 'viem'
import { readHoldings } from '../chain/collect/holdings.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { withinTime } from '../chain/rpc/ask.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import type { ListedSigner } from '../queries/signer-list.ts'

type Place = Pick<ListedSigner, 'chainId' | 'address'>

/** What the addresses have in native currency; undefined where no node answers in time. */
export const readSignerBalances = async (
  chains: Pick<Chains, 'find'>,
  signers: readonly Place[],
  timeoutMs: number,
): Promise<(place: Place) => bigint | undefined> => {
  const byChain = Map.groupBy(signers, ({ chainId }) => chainId)
  const found = await Promise.all(
    [...byChain].map(async ([chainId, its]) => {
      const rpc = chains.find(chainId)?.rpc
      if (!rpc) return []
      const addresses = [...new Set(its.map(({ address }) => address as Hex))]
      // A problem with one chain does not affect the others.
      const holdings = await readHoldings(withinTime(rpc, timeoutMs), addresses, []).catch(noneOrThrow)
      return holdings.map(({ address, native }) => [keyOf({ chainId, address }), native] as const)
    }),
  )
  const balances = new Map(found.flat())
  return place => balances.get(keyOf(place))
}

const keyOf = ({ chainId, address }: Place): string => `${chainId} ${address}`

const noneOrThrow = (error: unknown): [] => {
  if (error instanceof RpcFault || error instanceof RpcRefusal) return []
  throw error
}
