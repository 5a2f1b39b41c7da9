import type { Hex } from 'viem'
import type { Chain } from '../chain/chains.ts'
import { type Ask, withinTime } from '../chain/collect/ask.ts'
import type { Holding } from '../chain/collect/holdings.ts'
import { lookAt } from '../chain/collect/look.ts'
import type { ConnectedChain } from '../chain/connect.ts'
import { zeroAddress } from '../chain/zero.ts'
import { listWaiting, type WaitingRow } from '../queries/collections.ts'
import type { World } from '../world.ts'
import { rememberEmpty, settleEmpty } from './emptiness.ts'

/** A coin or token of a chain that is counted and swept; the zero address stands for the chain's own coin. */
export type Asset = { readonly asset: string; readonly token: Hex; readonly decimals: number }

export type Held = Asset & { readonly amount: bigint }

/** An address that holds something. */
export type Waiting = WaitingRow & { readonly held: readonly Held[] }

export type Waits = {
  readonly waiting: readonly Waiting[]
  /** False: there are more addresses than are looked at in one go, and these are the first. */
  readonly complete: boolean
}

export type WaitsOptions = {
  readonly timeoutMs: number
  /** Where somebody has just sent something: the block that it is in. */
  readonly atLeast?: number
  /** How the chain is asked, unless as often as it answers in time. */
  readonly ask?: Ask
}

/** Coins first. */
export const assetsOf = ({ native, tokens }: Pick<Chain, 'native' | 'tokens'>): readonly Asset[] => [
  { asset: native.asset, token: zeroAddress, decimals: native.decimals },
  ...tokens.map(({ asset, address, decimals }) => ({ asset, token: asHex(address), decimals })),
]

export const asHex = (address: string): Hex => `0x${address.slice(2).toLowerCase()}`

/**
 * What waits for a merchant on one chain, whatever it was sent for: of another asset, on another chain than the
 * payment's, too late. The chain says how much that is; the books say only where to look.
 */
export const readWaiting = async (
  world: Pick<World, 'sql'>,
  connected: ConnectedChain,
  merchantId: string,
  { timeoutMs, atLeast = 0, ask = withinTime(connected.rpc, timeoutMs) }: WaitsOptions,
): Promise<Waits> => {
  const { chain } = connected
  await settleEmpty(world, connected, merchantId)
  const listed = await listWaiting(world.sql, { merchantId, chainId: chain.id, limit: mostAddresses + 1 })
  const rows = listed.slice(0, mostAddresses)
  if (rows.length === 0) return { waiting: [], complete: true }
  const assets = assetsOf(chain)
  const [, ...tokens] = assets.map(({ token }) => token)
  const addresses = rows.map(({ address }) => asHex(address))
  const look = await lookAt(ask, addresses, tokens, atLeast)
  await rememberEmpty(world, connected, look, tokens, timeoutMs)
  const waiting = rows
    .map((row, at) => ({ ...row, held: heldOf(look.holdings[at], assets) }))
    .filter(({ held }) => held.length > 0)
  return { waiting, complete: listed.length <= mostAddresses }
}

// Some twenty questions to a node, which answers them in a second or two.
const mostAddresses = 2_000

const heldOf = (holding: Holding | undefined, assets: readonly Asset[]): readonly Held[] =>
  assets
    .map((asset, at) => ({ ...asset, amount: (at === 0 ? holding?.coins : holding?.tokens[at - 1]) ?? 0n }))
    .filter(({ amount }) => amount > 0n)

/** What several addresses hold, asset by asset, coins first. */
export const totalsOf = (waiting: readonly { readonly held: readonly Held[] }[]): readonly Total[] => {
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

/** An amount, and how many addresses it lies at. */
export type Total = Held & { readonly addresses: number }
