import type { AcceptedAsset, Payment } from '../../machines/payment-events.ts'
import type { Refused } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { refuse } from '../errors.ts'
import { paymentKind } from '../kinds/payment.ts'
import { ofKind } from '../queries/actors.ts'
import { dispatchPaymentEvent } from '../queries/payment-bundles.ts'
import { findPayment } from '../queries/payments.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { acceptedAssetOf } from './accepted-strays.ts'
import { refuseState } from './state-conflicts.ts'

/** ID of the caller as in the API, for the history. */
type Asked = { readonly cause: string }

export const cancelPayment = (services: Services, name: RecordKey, asked: Asked): Promise<Actor<Payment>> =>
  send(services, name, 'cancel', { ...asked, refused: () => refuse('payment_not_cancelable') })

/** Resolves a payment that needs attention. `accept`: the payment succeeds. `dismiss`: it stays as it is. */
export const resolvePayment = (
  services: Services & { readonly chains: Pick<Chains, 'find'> },
  name: RecordKey,
  action: 'accept' | 'dismiss',
  asked: Asked,
): Promise<Actor<Payment>> => {
  const paidWith = (payment: Actor<Payment>) => acceptedAssetOf(services, services.chains, payment)
  return send(services, name, action, {
    ...asked,
    refused: refuseState,
    ...(action === 'accept' && { paidWith }),
  })
}

type Sent = Asked & {
  readonly refused: (outcome: Refused) => never
  readonly paidWith?: (payment: Actor<Payment>) => Promise<AcceptedAsset | undefined>
}

const send = async (
  services: Services,
  name: RecordKey,
  type: 'cancel' | 'accept' | 'dismiss',
  { cause, refused, paidWith }: Sent,
): Promise<Actor<Payment>> => {
  // The merchant, the link and the invoice of a payment never change, so they are not checked again in the commit.
  const payment = (await findPayment(services.sql, name)) ?? refuse('resource_not_found')
  const event = { type, ...(paidWith && { paidWith: await paidWith(payment) }) }
  const outcome = await dispatchPaymentEvent(services, payment, event, { cause })
  return outcome.ok ? ofKind(paymentKind, outcome.done[0]?.actor) : refused(outcome)
}
