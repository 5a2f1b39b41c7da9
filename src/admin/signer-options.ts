import { openChains } from '../chain/enabled/chains.ts'
import { connectChains } from '../chain/enabled/connect.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import { type Rpc, RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { decodeId } from '../ids.ts'
import { openLog } from '../log.ts'
import { StartError } from '../process/start-error.ts'
import { hasMerchant } from '../queries/merchants.ts'
import type { AdminServices } from './command.ts'

/** The options that identify a signer. */
export const merchant = { value: 'mer_…' } as const
export const chain = { value: 'chain ID' } as const

export const readSignerOptions = async (
  { sql }: AdminServices,
  given: { readonly merchant: string; readonly chain: string },
) => {
  const merchantId = decodeId('mer', given.merchant)
  if (!merchantId || !(await hasMerchant(sql, merchantId)))
    throw new StartError('--merchant is not the ID of a merchant: see `bun run admin merchants`')
  if (!/^[1-9]\d{0,14}$/.test(given.chain)) throw new StartError('--chain must be a chain ID, such as 8453')
  return { merchantId, chainId: Number(given.chain) }
}

/** Connects to the nodes of a chain in RPC_URLS_<chain ID>. */
export const onChain = async <T>(
  { env, ...deps }: AdminServices,
  chainId: number,
  act: (rpc: Rpc) => Promise<T>,
): Promise<T> => {
  if (chainId === sandboxId)
    throw new StartError('The sandbox needs no signer: the server signs refunds there automatically')
  const urls = env.rpcUrls.get(chainId)
  if (!urls)
    throw new StartError(
      `Chain ${chainId} is not enabled: set RPC_URLS_${chainId} to the URLs of its nodes, as for the server`,
    )
  const quiet = { ...deps, log: openLog('silent') }
  const chains = connectChains(openChains(env, null), id => env.rpcUrls.get(id) ?? [], quiet, env.rpcProxy)
  try {
    const rpc = chains.find(chainId)?.rpc
    if (!rpc) throw new StartError(`Chain ${chainId} is not known: add it to CHAINS_FILE`)
    return await act(rpc)
  } catch (error) {
    if (!(error instanceof RpcFault || error instanceof RpcRefusal)) throw error
    throw new StartError(`Chain ${chainId}: ${error.message}; check RPC_URLS_${chainId}`)
  } finally {
    chains.close()
  }
}
