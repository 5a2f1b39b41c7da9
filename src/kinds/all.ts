import { type Kind, registered } from '../actors/kind.ts'
import type { MachineName } from '../resources.ts'
import { deliveryKind } from './delivery.ts'
import { disputeKind } from './dispute.ts'
import { paymentKind } from './payment.ts'
import { paymentLinkKind } from './payment-link.ts'
import { refundKind } from './refund.ts'

const byName: Readonly<Record<MachineName, Kind>> = {
  payment: registered(paymentKind),
  refund: registered(refundKind),
  payment_link: registered(paymentLinkKind),
  dispute: registered(disputeKind),
  delivery: registered(deliveryKind),
}

/** Every machine that the program puts on the core. */
export const kinds: readonly Kind[] = Object.values(byName)
