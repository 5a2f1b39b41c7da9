import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import { encodeId } from '../ids.ts'

/** A payment as in events. Responses add `crypto`. */
export const paymentRecord = ({ id, state, context, createdAt, updatedAt }: Actor<Payment>) => ({
  object: 'payment',
  id: encodeId('pay', id),
  merchantId: encodeId('mer', context.merchantId),
  method: 'crypto',
  status: state,
  amountMinor: context.amountMinor,
  amountRefundedMinor: context.amountRefundedMinor,
  currency: context.currency,
  customerEmail: context.customerEmail,
  customerName: context.customerName,
  failureReason: context.failureReason,
  paymentLinkId: encodeId('plink', context.paymentLinkId),
  reference: context.reference,
  metadata: context.metadata,
  expiresAt: context.expiresAt.toISOString(),
  livemode: context.livemode,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})
