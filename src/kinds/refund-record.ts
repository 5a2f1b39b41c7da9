import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import { checksummed, checksummedOrNull } from '../chain/checksum.ts'
import { encodeId } from '../ids.ts'

/** Facts that are not in the row of the refund. Without them the record is the one in events. */
export type RefundFacts = {
  /** Up to the current head of the chain; the row has the number at the final result. */
  readonly confirmations?: number
  /** Only for callers that can refund. */
  readonly claimUrl?: string | null
  readonly unsignedTransaction?: UnsignedTransaction | null
}

export type UnsignedTransaction = { chainId: number; to: string; data: string; value: string }

export const refundRecord = (refund: Actor<Refund>, facts: RefundFacts = {}) => {
  const { id, state, context, createdAt, updatedAt } = refund
  return {
    object: 'refund',
    id: encodeId('re', id),
    paymentId: encodeId('pay', context.paymentId),
    merchantId: encodeId('mer', context.merchantId),
    amountMinor: context.amountMinor,
    currency: context.currency,
    status: state,
    reason: context.reason,
    failureReason: context.failureReason,
    destination: context.destination,
    claimUrl: facts.claimUrl ?? null,
    crypto: {
      chainId: context.chainId,
      asset: context.asset,
      tokenAddress: checksummedOrNull(context.tokenAddress),
      amount: String(context.amount),
      txHash: context.txHash,
      confirmations: facts.confirmations ?? context.confirmations,
    },
    unsignedTransaction: facts.unsignedTransaction ? unsignedRecord(facts.unsignedTransaction) : null,
    metadata: context.metadata,
    livemode: context.livemode,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

const unsignedRecord = ({ chainId, to, data, value }: UnsignedTransaction) => ({
  chainId,
  to: checksummed(to),
  data,
  value,
})
