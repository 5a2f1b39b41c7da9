import { type Kind, registered } from '../actors/kind.ts'
import { deliveryKind } from './delivery.ts'
import { disputeKind } from './dispute.ts'
import { paymentKind } from './payment.ts'
import { paymentLinkKind } from './payment-link.ts'
import { refundKind } from './refund.ts'

/** Every machine that the program puts on the core. */
export const kinds: readonly Kind[] = [
  registered(paymentKind),
  registered(refundKind),
  registered(paymentLinkKind),
  registered(disputeKind),
  registered(deliveryKind),
]
