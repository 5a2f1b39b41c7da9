import type { Hex } from 'viem'
import type { Services } from '../actors/services.ts'
import { requireAddress } from '../chain/address.ts'
import type { Chain } from '../chain/chain.ts'
import type { Holding } from '../chain/collect/holdings.ts'
import { readHoldingsAtHead } from '../chain/collect/holdings-at-head.ts'
import type { ConnectedChain } from '../chain/enabled/connect.ts'
import { type Ask, withinTime } from '../chain/rpc/ask.ts'
import { zeroAddress } from '../chain/zero.ts'
import { listWaiting, type WaitingRow } from '../queries/collections.ts'
import { rememberEmpty, settleEmpty } from './emptiness.ts'

/** An asset of a chain that is collected. The zero address is the native currency. */
export type CollectableAsset = { readonly asset: string; readonly token: Hex; readonly decimals: number }

export type HeldAmount = CollectableAsset & { readonly amount: bigint }

/** An address with a balance. */
export type Waiting = WaitingRow & { readonly held: readonly HeldAmount[] }

export type WaitingBalances = {
  readonly waiting: readonly Waiting[]
  /** False if there are more addresses than are checked in one call. */
  readonly complete: boolean
}

export type WaitingBalancesOptions = {
  readonly timeoutMs: number
  /** Maximum number of addresses. */
  readonly most?: number
  /** Read at this block or a later one: the block of the last transaction. */
  readonly atLeast?: number
  /** How the node is called. Default: within the timeout. */
  readonly ask?: Ask
}

/** Native currency first. */
export const assetsOf = ({ native, tokens }: Pick<Chain, 'native' | 'tokens'>): readonly CollectableAsset[] => [
  { asset: native.asset, token: zeroAddress, decimals: native.decimals },
  ...tokens.map(({ asset, address, decimals }) => ({ asset, token: requireAddress(address), decimals })),
]

/**
 * The money of a merchant on one chain that can be collected, including money that was late, in another asset or on another
 * chain than that of the payment. The balances come from the chain; the database only lists the addresses.
 */
export const readWaiting = async (
  world: Pick<Services, 'sql'>,
  connected: ConnectedChain,
  merchantId: string,
  { timeoutMs, most = MAX_ADDRESSES, atLeast = 0, ask = withinTime(connected.rpc, timeoutMs) }: WaitingBalancesOptions,
): Promise<WaitingBalances> => {
  const { chain } = connected
  await settleEmpty(world, connected, merchantId)
  const listed = await listWaiting(world.sql, { merchantId, chainId: chain.id, limit: most + 1 })
  const rows = listed.slice(0, most)
  if (rows.length === 0) return { waiting: [], complete: true }
  const assets = assetsOf(chain)
  const [, ...tokens] = assets.map(({ token }) => token)
  const addresses = rows.map(({ address }) => requireAddress(address))
  const read = await readHoldingsAtHead(ask, addresses, tokens, atLeast)
  await rememberEmpty(world, connected, read, tokens, timeoutMs)
  const waiting = rows
    .map((row, at) => ({ ...row, held: heldOf(read.holdings[at], assets) }))
    .filter(({ held }) => held.length > 0)
  return { waiting, complete: listed.length <= most }
}

// About twenty requests to a node, which take one or two seconds.
const MAX_ADDRESSES = 2_000

const heldOf = (holding: Holding | undefined, assets: readonly CollectableAsset[]): readonly HeldAmount[] =>
  assets
    .map((asset, at) => ({ ...asset, amount: (at === 0 ? holding?.native : holding?.tokens[at - 1]) ?? 0n }))
    .filter(({ amount }) => amount > 0n)

/** The sum of several addresses for each asset, native currency first. */
export const totalsOf = (waiting: readonly { readonly held: readonly HeldAmount[] }[]): readonly Total[] => {
  const groups = Map.groupBy(
    waiting.flatMap(({ held }) => held),
    ({ token }) => token,
  )
  const totals = [...groups.values()].flatMap(group =>
    group.slice(0, 1).map(first => ({
      ...first,
      amount: group.reduce((sum, { amount }) => sum + amount, 0n),
      addresses: group.length,
    })),
  )
  return totals.sort((a, b) => (a.token < b.token ? -1 : 1))
}

/** An amount, and the number of addresses that hold it. */
export type Total = HeldAmount & { readonly addresses: number }
