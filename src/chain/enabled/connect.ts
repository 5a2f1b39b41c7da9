import type { Outside } from '../../outside.ts'
import type { Chain } from '../chain.ts'
import { sandboxId } from '../known/sandbox.ts'
import { openQuotes, type Quotes } from '../quotes/quotes.ts'
import { openRpc } from '../rpc/open.ts'
import type { Rpc } from '../rpc/rpc.ts'

/** A chain and the way to its nodes. */
export type ConnectedChain = { readonly chain: Chain; readonly rpc: Rpc }

/** Every chain that is switched on. Nothing is asked of a node before somebody needs an answer. */
export type Chains = {
  readonly all: readonly ConnectedChain[]
  find(chainId: number): ConnectedChain | undefined
  readonly quotes: Quotes
  /** Whatever is under way ends at once. */
  close(): void
}

export const chainIdsOf = ({ all }: Pick<Chains, 'all'>): readonly number[] => all.map(({ chain: { id } }) => id)

/**
 * A chain without URLs is one that nobody can ask, and stays as it is: in trouble. `proxy` is RPC_PROXY; the sandbox's
 * node is reached directly.
 */
export const connectChains = (
  chains: readonly Chain[],
  urlsOf: (chainId: number) => readonly string[],
  outside: Pick<Outside, 'clock' | 'random' | 'log'>,
  proxy?: string,
): Chains => {
  const all = chains.map(chain => ({
    chain,
    rpc: openRpc(
      {
        ...{ chainId: chain.id, urls: urlsOf(chain.id), mostLagBlocks: mostLagOf(chain) },
        proxy: chain.id === sandboxId ? undefined : proxy,
      },
      outside,
    ),
  }))
  return {
    all,
    find: chainId => all.find(({ chain }) => chain.id === chainId),
    quotes: openQuotes(all, outside),
    close: () => {
      for (const { rpc } of all) rpc.close()
    },
  }
}

/** What a node may lag before another is asked first: a minute's blocks on a slow chain, few seconds' on a fast one. */
const mostLagOf = ({ blockMs }: Chain): number => Math.max(5, Math.ceil(10_000 / blockMs))
