import type { Dispute } from '../../machines/dispute.ts'
import type { Actor } from '../actors/kind.ts'
import { encodeId } from '../ids.ts'

export const disputeRecord = ({ id, state, context, createdAt, updatedAt }: Actor<Dispute>) => ({
  object: 'dispute',
  id: encodeId('dp', id),
  paymentId: encodeId('pay', context.paymentId),
  merchantId: encodeId('mer', context.merchantId),
  amountMinor: context.amountMinor,
  currency: context.currency,
  reason: context.reason,
  status: state,
  evidence: {
    uncategorizedText: context.uncategorizedText,
    customerCommunication: context.customerCommunication,
    shippingTrackingNumber: context.shippingTrackingNumber,
    refundPolicy: context.refundPolicy,
  },
  evidenceDueBy: context.evidenceDueBy.toISOString(),
  outcome: state === 'won' || state === 'lost' ? state : null,
  livemode: context.livemode,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})
