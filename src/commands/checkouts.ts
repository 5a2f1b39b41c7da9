import { setTimeout as sleep } from 'node:timers/promises'
import type { CustomerOpening } from '../../machines/customer.ts'
import type { Invoice } from '../../machines/invoice-events.ts'
import type { AssetPick, Payment, PaymentOpening } from '../../machines/payment-events.ts'
import { isTaken } from '../../machines/payment-link.ts'
import { MINUTE_MS } from '../../machines/payment-rules.ts'
import { hashClientSecret, makeClientSecret } from '../access/client-secret.ts'
import type { BundleOutcome, Command } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { isErasedEmail } from '../email-key.ts'
import { refuse } from '../errors.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import type { Keyring } from '../keyring.ts'
import { paymentKind } from '../kinds/payment.ts'
import { ofKind } from '../queries/actors.ts'
import { checkoutRow, findLinkOf, type VisitedLink } from '../queries/checkouts.ts'
import { customerEmailRow, findCustomerIdByEmail } from '../queries/customers.ts'
import { hasReceived } from '../queries/deposits.ts'
import { StalePlan } from '../queries/invoice-issue.ts'
import { type AssetChoice, getOffer, type Offer } from './checkout-offers.ts'
import { depositFor } from './deposits.ts'
import { ensureCursor } from './ensure-cursor.ts'

/** The dependencies of a checkout. */
export type CheckoutServices = Services & { readonly keyring: Keyring; readonly chains: Chains }

export type Payer = Pick<PaymentOpening, 'customerEmail' | 'customerName'>

/** `cause`: for the history. */
type Opening = {
  readonly asset: AssetChoice | undefined
  readonly cause?: string
  /** The invoice that is paid. */
  readonly invoice?: Actor<Pick<Invoice, 'reference' | 'metadata'>> | undefined
}

/** The client secret is shown to the customer once. */
export type OpenedCheckout = { readonly payment: Actor<Payment>; readonly clientSecret: string }

/** Whether the link can be paid. Its expiration is checked here, because the timer that closes it may be late. */
export const isOpen = ({ link }: VisitedLink, now: Date): boolean =>
  link.state === 'active' && (link.context.expiresAt === null || now < link.context.expiresAt)

/** Whether a new customer can pay it. A payment that is processing can still make room again. */
export const takesPayments = (visited: VisitedLink, now: Date): boolean =>
  isOpen(visited, now) && !isTaken(visited.link.context)

/** Whether the customer is led back to the payment: it can still be paid, or its money is being confirmed. */
export const isUnderWay = ({ state, context }: Actor<Payment>, now: Date): boolean =>
  state === 'processing' || (state === 'pending' && now < context.expiresAt)

export const windowEnd = ({ link }: VisitedLink, from: Date): Date =>
  new Date(from.getTime() + link.context.windowMinutes * MINUTE_MS)

/**
 * Opens a payment for a customer. The payment, its count on the link, the client secret and, if an asset was picked,
 * the price and the address are one commit. The link checks its maximum number of payments in that commit.
 */
export const openCheckout = async (
  services: CheckoutServices,
  visited: VisitedLink,
  payer: Payer,
  { asset, cause = 'customer', invoice }: Opening,
): Promise<OpenedCheckout> => {
  const now = services.clock.now()
  if (!isOpen(visited, now)) refuse('payment_link_not_active')
  if (isErasedEmail(payer.customerEmail)) refuse('customer_erased', { param: 'customerEmail' })
  const { link } = visited
  const id = uuidv7(now, services.random)
  const offer = asset && (await getOffer(services.chains, visited, asset, windowEnd(visited, now)))
  const pick = offer && (await pickOf(services, offer, { paymentId: id, merchantId: link.context.merchantId }))
  const clientSecret = makeClientSecret(encodeId('pay', id), services.random)
  const rows = [checkoutRow(id, hashClientSecret(clientSecret))]
  const outcome = await dispatchForCustomer(services, visited, { ...payer, cause }, (customerId, customer) => [
    { kind: 'payment_link', actor: link.id, event: { type: 'open_payment' }, cause },
    ...customer,
    { kind: 'payment', actor: id, create: openingOf(visited, payer, { customerId, invoice }), cause, rows },
    ...(pick ? [{ kind: 'payment', actor: id, cause, ...pick }] : []),
  ])
  if (outcome.ok) return { payment: ofKind(paymentKind, outcome.done.at(-1)?.actor), clientSecret }
  if (outcome.refusal === 'invoice_changing') throw new StalePlan()
  return refuse(outcome.refusal === 'state' && outcome.index === 0 ? 'payment_link_not_active' : 'state_conflict')
}

/**
 * Dispatches the commands for the customer of the e-mail address. If there is none, the commands create it. Its row is
 * only read, so payments of one customer do not wait for each other.
 */
const dispatchForCustomer = async (
  services: CheckoutServices,
  { link, terms, customerId: found }: VisitedLink,
  { customerEmail, customerName, cause }: Payer & { readonly cause: string },
  commandsFor: (customerId: string, customer: readonly Command[]) => readonly Command[],
): Promise<BundleOutcome> => {
  const { sql, actors, clock, random } = services
  const owner = { merchantId: link.context.merchantId, livemode: link.context.livemode }
  const find = () => findCustomerIdByEmail(sql, owner, customerEmail)
  const attempt = (known: string | undefined) => {
    if (known !== undefined) return actors.dispatchBundle(commandsFor(known, []))
    const id = uuidv7(clock.now(), random)
    const fields = { ...owner, email: customerEmail, name: customerName, apiVersion: terms.api_version }
    return actors.dispatchBundle(commandsFor(id, [newPayingCustomer(id, fields, cause)]))
  }
  let outcome = await attempt(found === undefined ? await find() : (found ?? undefined))
  // Another payment has created the customer at the same time, or it is being erased or merged, which takes up to a second.
  for (let tries = 0; hasOtherCustomer(outcome) && tries < MOST_TRIES; tries++) {
    if (tries > 0) await sleep(TRY_AGAIN_MS)
    outcome = await attempt(await find())
  }
  return outcome
}

const TRY_AGAIN_MS = 50
const MOST_TRIES = 60

const hasOtherCustomer = (outcome: BundleOutcome): boolean =>
  !outcome.ok && (outcome.refusal === 'duplicate_customer' || outcome.refusal === 'customer_erased')

/** The command that creates the customer of an e-mail address that a visitor has typed. */
export const newPayingCustomer = (
  id: string,
  opening: Pick<CustomerOpening, 'merchantId' | 'livemode' | 'apiVersion' | 'email' | 'name'>,
  cause: string,
): Command => {
  const { merchantId, livemode, apiVersion, email, name } = opening
  const create: CustomerOpening = {
    ...{ merchantId, livemode, apiVersion, email, name, source: 'checkout', testClockId: null },
    ...{ company: null, taxId: null, address: null, locale: null, reference: null, metadata: {} },
  }
  return { kind: 'customer', actor: id, create, cause, rows: [customerEmailRow(opening, id, email)] }
}

/**
 * Changes the asset of a payment, or gets a new price, as long as no money has arrived. That includes money which was
 * too late for the price and has not changed the payment yet. Money that arrives at the same time is compared again
 * with the picked asset, so it counts for either the old or the new pick.
 */
export const pickAsset = async (
  services: CheckoutServices,
  payment: Actor<Payment>,
  asset: AssetChoice,
  cause = 'customer',
): Promise<Actor<Payment>> => {
  const { id, state, context } = payment
  const isWaiting = state === 'pending' && context.amountReceived === 0n && context.stray === null
  const isOver = context.expiresAt <= services.clock.now()
  if (!isWaiting || isOver || (await hasReceived(services.sql, payment)))
    refuse('state_conflict', { details: { status: state } })
  const visited = await findLinkOf(services.sql, context)
  if (!visited) return refuse('resource_not_found')
  const offer = await getOffer(services.chains, visited, asset, context.expiresAt)
  const dispatch = async (): Promise<BundleOutcome> => {
    const pick = await pickOf(services, offer, { paymentId: id, merchantId: context.merchantId })
    return services.actors.dispatchBundle([{ kind: 'payment', actor: id, cause, ...pick }])
  }
  const first = await dispatch()
  // A parallel request has created the address: try again with it.
  const outcome = !first.ok && first.refusal === 'exists' ? await dispatch() : first
  if (outcome.ok) return ofKind(paymentKind, outcome.done[0]?.actor)
  return refuse('state_conflict', { details: { status: outcome.actor?.state } })
}

type Whose = { readonly paymentId: string; readonly merchantId: string }

/** The address is in the commit of the pick: an address that is not watched is never shown. */
const pickOf = async (
  services: CheckoutServices,
  { connected, quote, treasury, confirmations }: Offer,
  owner: Whose,
): Promise<Pick<Command, 'rows'> & { readonly event: AssetPick & { readonly type: 'asset_picked' } }> => {
  await ensureCursor(services.sql, connected)
  const { deposit, rows } = await depositFor(services, services.keyring, { ...owner, treasury })
  return {
    rows,
    event: {
      type: 'asset_picked',
      chainId: quote.chainId,
      asset: quote.asset,
      tokenAddress: quote.tokenAddress,
      decimals: quote.decimals,
      address: deposit.address,
      amountExpected: quote.amount,
      confirmationsRequired: confirmations,
      pegged: quote.pegged,
      quoteRate: quote.rate,
      quoteSource: quote.source,
      quoteExpiresAt: quote.expiresAt,
    },
  }
}

const openingOf = (
  { link, terms }: VisitedLink,
  payer: Payer,
  { customerId, invoice }: Pick<Opening, 'invoice'> & { readonly customerId: string },
): PaymentOpening & { readonly windowMinutes: number } => {
  const { merchantId, livemode, amountMinor, currency, windowMinutes } = link.context
  const { reference, metadata } = invoice?.context ?? link.context
  return {
    ...{ merchantId, livemode, amountMinor, currency, reference, metadata: { ...metadata }, windowMinutes },
    apiVersion: terms.api_version,
    paymentLinkId: link.id,
    customerId,
    invoiceId: invoice?.id ?? null,
    customerEmail: payer.customerEmail,
    customerName: payer.customerName,
    toleranceBps: terms.tolerance_bps,
    latePolicy: terms.late_policy,
  }
}
