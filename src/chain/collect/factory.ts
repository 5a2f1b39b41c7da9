import { deploymentProxy, factory, factoryDeployment } from '../forwarder.ts'
import { type Ask, getBigint, hasCode } from '../rpc/ask.ts'
import type { TransactionRequest } from './send.ts'

/** What has to be sent before the first collection on a chain: whoever does, it is the same factory. */
export type FactoryDeployment =
  | { readonly state: 'there' }
  | { readonly state: 'missing'; readonly transaction: TransactionRequest }
  /** See Arachnid/deterministic-deployment-proxy. */
  | { readonly state: 'no_proxy' }

export const findFactoryDeployment = async (ask: Ask): Promise<FactoryDeployment> => {
  if (await hasCode(ask, factory)) return { state: 'there' }
  if (!(await hasCode(ask, deploymentProxy))) return { state: 'no_proxy' }
  const transaction = { to: deploymentProxy, data: factoryDeployment } as const
  const gas = await getBigint(ask, 'eth_estimateGas', [transaction])
  return { state: 'missing', transaction: { ...transaction, gasLimit: gas + gas / 20n } }
}
