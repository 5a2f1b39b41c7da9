import type { Env } from '../../env.ts'
import { StartError } from '../../process/start-error.ts'
import type { Chain } from '../chain.ts'
import { type SandboxContracts, sandboxChain, sandboxId } from '../known/sandbox.ts'
import { knownChains } from '../known/table.ts'
import { readChainsFile } from './chains-file.ts'

/**
 * The chains that are switched on: those with RPC addresses, from the table or the operator's file, and
 * the sandbox where its contracts are deployed. Throws a StartError of one line.
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
 * What a payment is told it has to wait for. Where the chain says itself what is final that is no fixed number: then
 * it is about how many blocks that takes, for people to look at, and its word counts.
 */
export const confirmationsOf = ({ finality, blockMs }: Pick<Chain, 'finality' | 'blockMs'>): number =>
  finality === 'finalized' ? Math.ceil(usualFinalityMs / blockMs) : finality.confirmations

const usualFinalityMs = 15 * 60_000
