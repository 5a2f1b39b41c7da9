import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../actors/kind.ts'
import type { Sql } from '../../postgres/connect.ts'
import { findReach, isSignedFor } from '../../queries/refund-transactions.ts'
import type { Chains } from '../enabled/connect.ts'
import { unlessUnanswered } from '../watch/chain-loops.ts'
import { openTransactions } from '../watch/transactions.ts'

/**
 * Whether two nodes do not know the transaction of a refund: its hash was mistyped, or the wallet has replaced it.
 * False for a transaction of a refund signer, which may be broadcast again at any time.
 */
export const isTransactionUnknown = async (
  { sql, chains }: { readonly sql: Sql; readonly chains: Pick<Chains, 'find'> },
  { id, context: { chainId, txHash } }: Actor<Refund>,
): Promise<boolean> => {
  const chain = chains.find(chainId)
  if (!chain || txHash === null || (await isSignedFor(sql, id))) return false
  const reach = await findReach(sql, chainId)
  if (!reach) return false
  const { signal } = new AbortController()
  return (await unlessUnanswered(openTransactions(chain.rpc).isUnknown(txHash, reach.final, signal))) === true
}
