import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { insertSubmission } from '../queries/submissions.ts'

/** Wallets replace transactions, so a payment can have several. More than this are not plausible. */
const MOST_OF_A_PAYMENT = 10

/**
 * Stores the hash of a transaction that a customer reports. The hash alone changes nothing: the chain decides when the
 * transaction is final. Ignored for a payment that has ended, or that has no asset yet.
 */
export const submitTransaction = async (
  { sql }: Pick<Services, 'sql'>,
  { id, state, context: { chainId } }: Actor<Payment>,
  txHash: string,
): Promise<{ readonly isNews: boolean }> => {
  if (chainId === null || !(state === 'pending' || state === 'processing')) return { isNews: false }
  const submission = { paymentId: id, chainId, txHash: txHash.toLowerCase() }
  const outcome = await insertSubmission(sql, submission, MOST_OF_A_PAYMENT)
  if (outcome === 'too_many')
    refuse('state_conflict', {
      message: `${MOST_OF_A_PAYMENT} different transactions were already submitted for this payment.`,
    })
  return { isNews: outcome === 'kept' }
}
