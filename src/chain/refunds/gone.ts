import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../actors/kind.ts'
import type { Sql } from '../../postgres/connect.ts'
import { findReach, isSignedFor } from '../../queries/refund-transactions.ts'
import type { Chains } from '../enabled/connect.ts'
import { unlessUnanswered } from '../watch/beside.ts'
import { openTransactions } from '../watch/transactions.ts'

/**
 * Whether two nodes know nothing of the transaction that a refund is said to be paid with: its hash was mistyped, or
 * its wallet has replaced it. One that a signer of ours has signed may be sent again at any time.
 */
export const isTransactionGone = async (
  { sql, chains }: { readonly sql: Sql; readonly chains: Pick<Chains, 'find'> },
  { id, context: { chainId, txHash } }: Actor<Refund>,
): Promise<boolean> => {
  const chain = chains.find(chainId)
  if (!chain || txHash === null || (await isSignedFor(sql, id))) return false
  const reach = await findReach(sql, chainId)
  if (!reach) return false
  const { signal } = new AbortController()
  return (await unlessUnanswered(openTransactions(chain.rpc).lacks(txHash, reach.final, signal))) === true
}
