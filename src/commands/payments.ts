import type { Payment } from '../../machines/payment-events.ts'
import type { BundleOutcome, Command } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import { type Code, refuse } from '../errors.ts'
import { linkEventOf, paymentKind } from '../kinds/payment.ts'
import { ofKind } from '../queries/actors.ts'
import type { RecordName } from '../queries/named.ts'
import { findPayment } from '../queries/payments.ts'
import type { World } from '../world.ts'

/** Who asks, for the history: an id as on the wire. */
type Asked = { readonly cause: string }

export const cancelPayment = (world: World, name: RecordName, asked: Asked): Promise<Actor<Payment>> =>
  send(world, name, 'cancel', { ...asked, otherwise: 'payment_not_cancelable' })

/** Ends that a payment waits for a person: `accept` takes what came for a success, `dismiss` leaves it as it is. */
export const resolvePayment = (
  world: World,
  name: RecordName,
  action: 'accept' | 'dismiss',
  asked: Asked,
): Promise<Actor<Payment>> => send(world, name, action, { ...asked, otherwise: 'state_conflict' })

type Sent = Asked & { readonly otherwise: Code }

const send = async (
  { sql, actors }: World,
  name: RecordName,
  type: 'cancel' | 'accept' | 'dismiss',
  { cause, otherwise }: Sent,
): Promise<Actor<Payment>> => {
  // Neither whose a payment is nor its link ever changes, so they need not be looked at again in the commit.
  const payment = (await findPayment(sql, name)) ?? refuse('resource_not_found')
  const commands: Command[] = [{ kind: 'payment', actor: payment.id, event: { type }, cause }]
  const linkEvent = linkEventOf[type]
  if (linkEvent)
    commands.push({ kind: 'payment_link', actor: payment.context.paymentLinkId, event: { type: linkEvent }, cause })
  return paymentIn(await actors.dispatchBundle(commands), otherwise)
}

const paymentIn = (outcome: BundleOutcome, otherwise: Code): Actor<Payment> =>
  ofKind(paymentKind, outcome.ok ? outcome.done[0]?.actor : refuse(otherwise))
