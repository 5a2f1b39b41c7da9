import { openChains } from '../chain/enabled/chains.ts'
import { type Chains, connectChains } from '../chain/enabled/connect.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Env } from '../env.ts'
import { sandboxContracts } from '../sandbox/contracts.ts'
import { findEmbeddedUrl } from '../sandbox/embedded.ts'

/** The chains of a deployment, for a command-line tool: those that are enabled, and the sandbox while it runs. */
export const openDeploymentChains = (env: Env, deps: Dependencies): Chains => {
  const sandboxUrl = env.sandbox ? (env.sandboxRpcUrl ?? findEmbeddedUrl(env.dataDir)) : undefined
  const urlsOf = (chainId: number) => env.rpcUrls.get(chainId) ?? (sandboxUrl === undefined ? [] : [sandboxUrl])
  const chains = openChains(env, sandboxUrl === undefined ? null : sandboxContracts)
  return connectChains(chains, urlsOf, deps, env.rpcProxy)
}
