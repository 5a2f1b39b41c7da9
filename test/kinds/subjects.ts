import { type Actor, type Context, type Kind, registered } from '../../src/actors/kind.ts'
import { deliveryKind } from '../../src/kinds/delivery.ts'
import { disputeKind } from '../../src/kinds/dispute.ts'
import { paymentKind } from '../../src/kinds/payment.ts'
import { paymentLinkKind } from '../../src/kinds/payment-link.ts'
import { refundKind } from '../../src/kinds/refund.ts'
import { deliveries } from '../machines/delivery-cases.ts'
import { disputes } from '../machines/dispute-cases.ts'
import { payments } from '../machines/payment-cases.ts'
import { paymentLinks } from '../machines/payment-link-cases.ts'
import { refunds } from '../machines/refund-cases.ts'
import { arrive, minutes, outcomes, type Subject, T0 } from '../machines/table.ts'

/** Every kind, with the situations and events of its machine's tests. */
export const subjects: readonly { readonly kind: Kind; readonly subject: Subject }[] = [
  { kind: registered(paymentKind), subject: payments },
  { kind: registered(refundKind), subject: refunds },
  { kind: registered(paymentLinkKind), subject: paymentLinks },
  { kind: registered(disputeKind), subject: disputes },
  { kind: registered(deliveryKind), subject: deliveries },
]

const ID = '0193a000-0000-7000-8000-00000000000f'

/** The actor in a situation of the machine's tests. */
export const actorIn = <C = Context>(kind: Kind<C>, subject: Subject, situation: string): Actor<C> =>
  actorOf(kind, arrive(subject, subject.situations[situation] ?? situation))

/** All actors that occur in the machine's tests. */
export const everyActor = (kind: Kind, subject: Subject): Actor[] =>
  outcomes(subject).map(({ after }) => actorOf(kind, after))

const actorOf = <C>(kind: Kind<C>, { value, context }: { value: unknown; context: C }): Actor<C> => ({
  id: ID,
  kind: kind.name,
  state: String(value),
  rev: 1,
  context,
  createdAt: T0,
  updatedAt: minutes(1),
})
