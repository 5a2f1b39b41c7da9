import type { Chain } from '../chain.ts'
import { arbitrumOne, arbitrumSepolia } from './arbitrum.ts'
import { baseMainnet, baseSepolia } from './base.ts'
import { ethereumMainnet, sepolia } from './ethereum.ts'
import { opMainnet, opSepolia } from './optimism.ts'
import { amoy, polygonMainnet } from './polygon.ts'

/**
 * The known chains. Each token is listed with the address that its issuer publishes for that chain, never with that of
 * a bridged copy. Operators add others in CHAINS_FILE.
 *
 * Sources of the addresses, read in November 2026:
 * - USDC and EURC: developers.circle.com/stablecoins/{usdc,eurc}-contract-addresses, and circlefin/skills.
 * - USDT: Tether's contract, as in the Superchain token list (ethereum-optimism.github.io, data/USDT). Tether issues
 * none on the layer 2 chains and Polygon: the tokens named USDT there are USDT0 or bridged.
 * - DAI: Maker's contract, as in the same list and aave-address-book. On other chains it is bridged.
 * - PYUSD: docs.paxos.com/guides/stablecoin/pyusd/{mainnet,testnet}, and paxosglobal/pyusd-contract.
 * - Sequencer feeds: docs.chain.link/data-feeds/l2-sequencer-feeds. Chainlink lists none for testnets.
 * - Price feeds: docs.chain.link and Chainlink's feed directory, aave-address-book and public contracts.
 * `description()` is compared at every read, so a wrong feed is never used.
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

/** Whether a token is listed here, at its issuer's own address. */
export const isKnownToken = (chainId: number, address: string): boolean =>
  knownChains.some(({ id, tokens }) => id === chainId && tokens.some(token => token.address === address))
