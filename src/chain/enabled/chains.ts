import type { Env } from '../../env.ts'
import { StartError } from '../../process/start-error.ts'
import type { Chain } from '../chain.ts'
import { type SandboxContracts, sandboxChain, sandboxId } from '../known/sandbox.ts'
import { knownChains } from '../known/table.ts'
import { readChainsFile } from './chains-file.ts'

/**
 * The enabled chains: those with RPC URLs, from the known chains or the operator's file, and the sandbox if its
 * contracts are deployed. Throws a StartError of one line.
 */
export const openChains = (
  env: Pick<Env, 'rpcUrls' | 'chainsFile'>,
  sandbox: SandboxContracts | null,
): readonly Chain[] => {
  const described = env.chainsFile === undefined ? knownChains : readChainsFile(env.chainsFile, knownChains)
  const enabled = [...env.rpcUrls.keys()].map(id => described.find(chain => chain.id === id) ?? refuseUnknown(id))
  return sandbox ? [...enabled, sandboxChain(sandbox)] : enabled
}

const refuseUnknown = (id: number): never => {
  if (id === sandboxId)
    throw new StartError(`RPC_URLS_${id} is not valid: the sandbox chain is reached by SANDBOX_RPC_URL`)
  const known = knownChains.map(chain => chain.id).join(', ')
  throw new StartError(`RPC_URLS_${id} is not valid: the chain must be one of ${known}, or be described in CHAINS_FILE`)
}

/**
 * The number of confirmations that a payment shows. On a chain with a `finalized` tag it is an estimate for display:
 * the tag decides.
 */
export const confirmationsOf = ({ finality, blockMs }: Pick<Chain, 'finality' | 'blockMs'>): number =>
  finality === 'finalized' ? Math.ceil(usualFinalityMs / blockMs) : finality.confirmations

const usualFinalityMs = 15 * 60_000
