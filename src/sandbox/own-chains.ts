import { openChains } from '../chain/chains.ts'
import { type Chains, connectChains } from '../chain/connect.ts'
import type { Env } from '../env.ts'
import type { Outside } from '../outside.ts'
import { sandboxContracts } from './contracts.ts'
import { findEmbeddedUrl } from './embedded.ts'

/** The chains of a service for a command beside it: those that are switched on, and its sandbox while that runs. */
export const openOwnChains = (env: Env, outside: Outside): Chains => {
  const sandboxUrl = env.sandbox ? (env.sandboxRpcUrl ?? findEmbeddedUrl(env.dataDir)) : undefined
  const urlsOf = (chainId: number) => env.rpcUrls.get(chainId) ?? (sandboxUrl === undefined ? [] : [sandboxUrl])
  const chains = openChains(env, sandboxUrl === undefined ? null : sandboxContracts)
  return connectChains(chains, urlsOf, outside, env.rpcProxy)
}
