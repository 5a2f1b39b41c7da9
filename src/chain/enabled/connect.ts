import type { Dependencies } from '../../dependencies.ts'
import type { Chain } from '../chain.ts'
import { sandboxId } from '../known/sandbox.ts'
import { openQuotes, type Quotes } from '../quotes/quotes.ts'
import { openRpc } from '../rpc/open.ts'
import type { Rpc } from '../rpc/rpc.ts'

/** A chain and the client of its nodes. */
export type ConnectedChain = { readonly chain: Chain; readonly rpc: Rpc }

/** All enabled chains. No request is sent before the first call. */
export type Chains = {
  readonly all: readonly ConnectedChain[]
  find(chainId: number): ConnectedChain | undefined
  readonly quotes: Quotes
  /** Aborts all requests. */
  close(): void
}

export const chainIdsOf = ({ all }: Pick<Chains, 'all'>): readonly number[] => all.map(({ chain: { id } }) => id)

/**
 * Connects the chains. A chain without URLs cannot be read and is reported as degraded. `proxy` is RPC_PROXY; the
 * sandbox node is reached directly.
 */
export const connectChains = (
  chains: readonly Chain[],
  urlsOf: (chainId: number) => readonly string[],
  outside: Pick<Dependencies, 'clock' | 'random' | 'log'>,
  proxy?: string,
): Chains => {
  const all = chains.map(chain => ({
    chain,
    rpc: openRpc(
      {
        ...{ chainId: chain.id, urls: urlsOf(chain.id), maxLagBlocks: maxLagOf(chain) },
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

/**
 * How many blocks a node may be behind before other nodes are asked first: the blocks of a minute on a slow chain, of
 * ten seconds on a fast one.
 */
const maxLagOf = ({ blockMs }: Chain): number => Math.max(5, Math.ceil(10_000 / blockMs))
