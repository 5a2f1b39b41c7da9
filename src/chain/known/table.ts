import type { Chain } from '../chain.ts'
import { arbitrumOne, arbitrumSepolia } from './arbitrum.ts'
import { baseMainnet, baseSepolia } from './base.ts'
import { ethereumMainnet, sepolia } from './ethereum.ts'
import { opMainnet, opSepolia } from './optimism.ts'
import { amoy, polygonMainnet } from './polygon.ts'

/**
 * The chains we know. A token stands here only at the address its issuer gives for its own issue on
 * that chain, never as a bridge's copy; an operator adds others by CHAINS_FILE.
 *
 * Where the addresses come from, read in November 2026:
 * - USDC and EURC: developers.circle.com/stablecoins/{usdc,eurc}-contract-addresses, and circlefin/skills.
 * - USDT: Tether's contract, as in the Superchain token list (ethereum-optimism.github.io, data/USDT).
 *   Tether issues none itself on the second layers and Polygon: what goes by that name there is USDT0 or a bridge's.
 * - DAI: Maker's contract, as in the same list and aave-address-book; elsewhere it is a bridge's.
 * - PYUSD: docs.paxos.com/guides/stablecoin/pyusd/{mainnet,testnet}, and paxosglobal/pyusd-contract.
 * - Sequencer feeds: docs.chain.link/data-feeds/l2-sequencer-feeds. Chainlink lists none for test nets.
 * - Price feeds: docs.chain.link and Chainlink's feed directory, aave-address-book and public contracts;
 *   `description()` is compared at every read, so a wrong one is never believed.
 */
export const knownChains: readonly Chain[] = [
  ethereumMainnet,
  baseMainnet,
  arbitrumOne,
  opMainnet,
  polygonMainnet,
  sepolia,
  baseSepolia,
  arbitrumSepolia,
  opSepolia,
  amoy,
]

/** Whether a token stands in the table, at its issuer's own address. */
export const isKnownToken = (chainId: number, address: string): boolean =>
  knownChains.some(({ id, tokens }) => id === chainId && tokens.some(token => token.address === address))
