import type { Services } from '../actors/services.ts'
import type { Address } from '../chain/address.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { deploymentProxy, factory, sweeper } from '../chain/forwarder.ts'
import { knownChains } from '../chain/known/table.ts'
import { isAnyDepositAddress } from '../queries/deposit-addresses.ts'

/**
 * Whether money sent to this address would be lost, or would pay for something else: contracts of tokens and of the
 * collection keep what they receive, and money at a deposit address counts for its payment.
 */
export const wouldBeLostAt = async (
  { sql, chains }: Pick<Services, 'sql'> & { readonly chains: Pick<Chains, 'all'> },
  address: Address,
): Promise<boolean> => {
  const lower = address.toLowerCase()
  const described = [...knownChains, ...chains.all.map(({ chain }) => chain)]
  const isToken = described.some(({ tokens }) => tokens.some(token => token.address === lower))
  return (
    isToken || [factory, sweeper, deploymentProxy].some(each => each === lower) || isAnyDepositAddress(sql, [lower])
  )
}
