import type { Payment } from '../../machines/payment-events.ts'
import type { Refund, RefundOpening } from '../../machines/refund.ts'
import type { Command, Refused } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { type Address, parseAddress } from '../chain/address.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import type { Keyring } from '../keyring.ts'
import { paymentKind } from '../kinds/payment.ts'
import { refundKind } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { ofKind } from '../queries/actors.ts'
import { dispatchGivingCredit } from '../queries/credit-entries.ts'
import { findPayment } from '../queries/payments.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { findTakeableCredit, reservationCommands, type TakeableCredit } from '../queries/refund-bundles.ts'
import { findRefund } from '../queries/refunds.ts'
import { type Requester, refuseTwin } from './by.ts'
import { exceedsBalance } from './customer-credit.ts'
import { wouldBeLostAt } from './lost-money.ts'
import { makeClaim } from './refund-claims.ts'
import { refuseState } from './state-conflicts.ts'

export type RefundRequest = Pick<RefundOpening, 'reason' | 'metadata'> & {
  /** Undefined: the remaining amount. */
  readonly amountMinor: number | undefined
  /** As the caller wrote it. Null: the customer is asked. */
  readonly destination: string | null
}

/**
 * Reserves a part of the received amount of a payment for a refund. The payment checks the remaining amount in the
 * commit. If other refunds were faster, it is checked again with what they have left.
 */
export const startRefund = async (
  services: RefundServices,
  payment: Actor<Payment>,
  request: RefundRequest,
  { cause, responseRows }: Requester<Refund>,
): Promise<Actor<Refund>> => {
  const { actors, clock, random } = services
  const id = uuidv7(clock.now(), random)
  const rows: Command['rows'] = done => responseRows(ofKind(refundKind, done.at(-1)))
  let latest = payment
  for (;;) {
    const credit = await findTakeableCredit(services.sql, { paymentId: latest.id, invoiceId: latest.context.invoiceId })
    const opening = refundOpeningOf(latest, request, credit)
    const more = { cause, rows, creditMinor: credit.creditMinor }
    const outcome = await actors.dispatchBundle(
      await beginningOf(services, { id, opening, payment: latest, destination: request.destination }, more),
    )
    if (outcome.ok) return ofKind(refundKind, outcome.done.at(-1)?.actor)
    refuseTwin(outcome)
    // The credit was spent at the same time: it is read again. So is the payment.
    const isSpent = outcome.refusal === 'credit_exceeds_balance' || outcome.actor?.kind === 'invoice'
    if (outcome.refusal !== 'state' && !isSpent) refuse('state_conflict')
    latest = isSpent ? await getPayment(services.sql, latest) : ofKind(paymentKind, outcome.actor)
  }
}

export type RefundServices = Services & { readonly keyring: Keyring; readonly chains: Pick<Chains, 'all'> }

type NewRefund = {
  readonly id: string
  readonly opening: RefundOpening
  readonly payment: Actor<Payment>
  /** As the caller wrote it. Null: the customer is asked. */
  readonly destination: string | null
  /** The parameter with the destination. */
  readonly param?: string
}

/** The commands that begin a refund, the last of which is its own. `rows` are committed with it. */
export const beginningOf = async (
  services: RefundServices,
  { id, opening, payment, destination: text, param = 'destination' }: NewRefund,
  { cause, creditMinor, rows }: { readonly cause: string; readonly creditMinor: number } & Pick<Command, 'rows'>,
): Promise<readonly Command[]> => {
  const reservation = reservationCommands(opening, 'create', { cause, creditMinor })
  const create = { kind: 'refund', actor: id, create: { ...opening }, cause }
  if (text === null) {
    // Without a claim, no one could set the destination.
    const claim = makeClaim(services, id)
    const withClaim: Command['rows'] = (done, before) => [
      claim,
      ...(typeof rows === 'function' ? rows(done, before) : (rows ?? [])),
    ]
    return [...reservation, { ...create, rows: withClaim }]
  }
  const destination = await destinationFor(services, opening, payment.context, text, param)
  return [...reservation, create, nameDestination(id, destination, { cause, ...(rows && { rows }) })]
}

/**
 * Releases the reserved amount of a refund, unless its transaction is known. That of a credit note becomes credit of the
 * customer: the note stays settled.
 */
export const cancelRefund = async (
  { sql, actors }: Services,
  name: RecordKey,
  cause: string,
): Promise<Actor<Refund>> => {
  // The merchant and the amount of a refund never change, so they are not checked again in the commit.
  const { id, context } = (await findRefund(sql, name)) ?? refuse('resource_not_found')
  const outcome = await dispatchGivingCredit({ actors }, given => [
    { kind: 'refund', actor: id, event: { type: 'cancel' }, cause },
    ...reservationCommands(context, 'cancel', { cause, ...given }),
  ])
  if (outcome.ok) return ofKind(refundKind, outcome.done[0]?.actor)
  if (outcome.refusal === 'credit_exceeds_balance')
    refuse('credit_exceeds_balance', { message: `The amount of the refund ${exceedsBalance}` })
  return refuseState(outcome)
}

/** Marks a refund as checked. Its status does not change. */
export const dismissRefund = async (
  { sql, actors }: Services,
  name: RecordKey,
  cause: string,
): Promise<Actor<Refund>> => {
  const { id } = (await findRefund(sql, name)) ?? refuse('resource_not_found')
  const outcome = await actors.dispatch({ kind: 'refund', actor: id, event: { type: 'dismiss' }, cause })
  return outcome.ok ? ofKind(refundKind, outcome.actor) : refuseState(outcome)
}

/** Refuses a refund that was refused because its payment's credit has paid something else since. */
export const refuseSpentCredit = ({ refusal, actor }: Refused): void => {
  if (refusal === 'credit_exceeds_balance' || actor?.kind === 'invoice') refuse('credit_exceeds_balance')
}

const getPayment = async (sql: Sql, { id, context: { merchantId, livemode } }: Actor<Payment>) =>
  (await findPayment(sql, { id, merchantId, livemode })) ?? refuse('resource_not_found')

/** Checks the amount of a refund. `param`: the parameter with it. */
export const refundOpeningOf = (
  { id: paymentId, state, context }: Actor<Payment>,
  request: Omit<RefundRequest, 'destination'>,
  {
    givenMinor,
    creditMinor,
    creditNoteId,
    param = 'amountMinor',
  }: TakeableCredit & { readonly creditNoteId?: string; readonly param?: string },
): RefundOpening => {
  const { chainId, asset, amountExpected, receivedMinor } = context
  const isOver = state !== 'pending' && state !== 'processing'
  if (!isOver || receivedMinor === 0 || chainId === null || asset === null || amountExpected === null)
    return refuse('payment_not_refundable')
  const unreservedMinor = receivedMinor - context.refundsReservedMinor
  // Credit that the payment gave, and that has paid something else since.
  const spentMinor = Math.max(0, givenMinor - creditMinor)
  const remainingMinor = Math.max(0, unreservedMinor - spentMinor)
  const { amountMinor = remainingMinor, reason, metadata } = request
  const details = { param, details: { remainingMinor } }
  if (amountMinor > unreservedMinor || unreservedMinor === 0) refuse('refund_exceeds_remaining', details)
  if (amountMinor > remainingMinor || remainingMinor === 0) refuse('credit_exceeds_balance', details)
  return {
    merchantId: context.merchantId,
    livemode: context.livemode,
    // A refund has the API version of its payment.
    apiVersion: context.apiVersion,
    paymentId,
    invoiceId: context.invoiceId,
    creditNoteId: creditNoteId ?? null,
    amountMinor,
    currency: context.currency,
    reason,
    metadata,
    chainId,
    asset,
    tokenAddress: context.tokenAddress,
    // At the quote of the payment. Rounded down, so that all refunds together send no more than was received.
    amount: (amountExpected * BigInt(amountMinor)) / BigInt(context.amountMinor),
  }
}

/** The destination of a refund. Deposit addresses, and contracts that would keep the money, are refused. */
export const destinationFor = async (
  services: Pick<Services, 'sql'> & { readonly chains: Pick<Chains, 'all'> },
  { tokenAddress }: Pick<Refund, 'tokenAddress'>,
  payment: Pick<Payment, 'address'>,
  text: string,
  param = 'destination',
): Promise<Address> => {
  const destination = parseAddress(text)
  const own = [tokenAddress, payment.address].map(address => address?.toLowerCase())
  if (
    destination === undefined ||
    own.includes(destination.toLowerCase()) ||
    (await wouldBeLostAt(services, destination))
  )
    return refuse('invalid_destination', { param })
  return destination
}

const nameDestination = (id: string, destination: Address, more: Pick<Command, 'cause' | 'rows'>): Command => ({
  kind: 'refund',
  actor: id,
  event: { type: 'destination_named', destination },
  ...more,
})
