import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import { refuse } from '../errors.ts'
import { keepSubmission } from '../queries/submissions.ts'
import type { World } from '../world.ts'

/** Wallets replace a transaction that waits too long by another; nobody pays by more of them than this. */
const MOST_OF_A_PAYMENT = 10

/**
 * Keeps the hash of the transaction that a customer says to have paid with. It changes nothing by itself: what
 * the chain says of it decides, once it is final. Of a payment that is over, or that nobody knows yet what is
 * to be paid with, it says nothing.
 */
export const submitTransaction = async (
  { sql }: Pick<World, 'sql'>,
  { id, state, context: { chainId } }: Actor<Payment>,
  txHash: string,
): Promise<{ readonly isNews: boolean }> => {
  if (chainId === null || !(state === 'pending' || state === 'processing')) return { isNews: false }
  const submission = { paymentId: id, chainId, txHash: txHash.toLowerCase() }
  const outcome = await keepSubmission(sql, submission, MOST_OF_A_PAYMENT)
  if (outcome === 'too_many')
    refuse('state_conflict', { message: `${MOST_OF_A_PAYMENT} different transactions were already submitted for this payment.` })
  return { isNews: outcome === 'kept' }
}
