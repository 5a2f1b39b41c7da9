import { deploymentProxy, factory, factoryDeployment } from '../forwarder.ts'
import { type Ask, getBigint, hasCode } from '../rpc/ask.ts'
import type { TransactionRequest } from './send.ts'

/** The transaction that deploys the factory, if it is missing on a chain. The factory does not depend on the sender. */
export type FactoryDeployment =
  | { readonly state: 'deployed' }
  | { readonly state: 'missing'; readonly transaction: TransactionRequest }
  /** The deployment proxy is missing: see Arachnid/deterministic-deployment-proxy. */
  | { readonly state: 'no_proxy' }

export const findFactoryDeployment = async (ask: Ask): Promise<FactoryDeployment> => {
  if (await hasCode(ask, factory)) return { state: 'deployed' }
  if (!(await hasCode(ask, deploymentProxy))) return { state: 'no_proxy' }
  const transaction = { to: deploymentProxy, data: factoryDeployment } as const
  const gas = await getBigint(ask, 'eth_estimateGas', [transaction])
  return { state: 'missing', transaction: { ...transaction, gasLimit: gas + gas / 20n } }
}
