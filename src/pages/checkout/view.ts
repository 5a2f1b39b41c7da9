import type { Payment } from '../../../machines/payment-events.ts'
import { isTaken, type PaymentLink } from '../../../machines/payment-link.ts'
import { isEnough, isTooMuch } from '../../../machines/payment-sums.ts'
import type { Actor } from '../../actors/kind.ts'
import { checksummed } from '../../chain/checksum.ts'
import { transferUri } from '../../chain/transfer-uri.ts'
import { arrivedAmount, type CryptoAmount, type Denomination, dueAmount } from './amounts.ts'
import type { CheckoutFacts, PaymentFacts, PayNetwork, PayOption, StrayMoney } from './facts.ts'

export type CheckoutStatus = CheckoutView['status']

/** What a checkout page shows, as a function of the facts and the time. */
export type CheckoutView =
  | { readonly status: 'not_found' }
  | { readonly status: 'closed'; readonly because: 'deactivated' | 'completed' | 'expired' | Closing }
  | { readonly status: 'unavailable'; readonly because: Unavailability; readonly since: Date | null }
  | OpenView
  | PayView
  | {
      readonly status: 'price_expired'
      readonly due: AmountDue
      readonly ended: Date
      readonly choices: readonly Choice[]
    }
  | SeenView
  | PaidView
  | ExpiredView
  | LateView
  | FailedView
  | { readonly status: 'canceled' }

/**
 * Why an open payment must not get more money. `taken`: others have paid the link. `settled`: other payments pay the invoice,
 * or less of it is due. `void`: so is the invoice.
 */
type Closing = 'taken' | 'settled' | 'void'

/** The page lets the customer choose what to pay with. `needsEmail`: the payment does not exist yet. */
export type OpenView = {
  readonly status: 'open'
  readonly needsEmail: boolean
  readonly choices: readonly Choice[]
}

/** Money is due. With an exception, less of it than at first, or besides money that does not count. */
export type PayView = {
  readonly status: 'pay' | 'underpaid' | 'wrong_asset' | 'wrong_chain'
  /** Null if nothing can be sent any more at this price. */
  readonly due: AmountDue | null
  readonly ends: Date
  readonly received: CryptoAmount | null
  readonly expected: CryptoAmount
  readonly stray: StrayMoney | null
  /** Why the customer should not send at this moment. */
  readonly wait: { readonly because: 'submitted' | 'dropped'; readonly txHash: string | null } | null
  /** Set while the network of the payment is in trouble. */
  readonly trouble: { readonly since: Date | null } | null
  readonly choices: readonly Choice[]
}

export type SeenView = {
  readonly status: 'seen'
  readonly amount: CryptoAmount
  readonly network: PayNetwork
  readonly confirmations: number
  readonly required: number
  readonly txHash: string | null
  readonly seenAt: Date | null
}

export type PaidView = {
  readonly status: 'paid' | 'overpaid'
  readonly amount: CryptoAmount
  readonly expected: CryptoAmount
  readonly excess: CryptoAmount
  readonly network: PayNetwork
  readonly txHash: string | null
  readonly completedAt: Date | null
  readonly strays: readonly StrayMoney[]
}

export type ExpiredView = {
  readonly status: 'expired'
  readonly ended: Date
  readonly hadAddress: boolean
  readonly strays: readonly StrayMoney[]
}

export type LateView = {
  readonly status: 'late'
  readonly amount: CryptoAmount
  readonly network: PayNetwork
  readonly ended: Date
  /** The price had expired, but not the time to pay. */
  readonly isPriceLate: boolean
  readonly arrivedAt: Date | null
  readonly txHash: string | null
}

export type FailedView = {
  readonly status: 'failed'
  readonly reason: NonNullable<Payment['failureReason']>
  readonly network: PayNetwork
  readonly denomination: Denomination
  readonly received: CryptoAmount
  readonly expected: CryptoAmount
  readonly txHash: string | null
  readonly strays: readonly StrayMoney[]
}

type Unavailability = 'networks' | 'prices' | 'setup'

/** What to send, and where to. */
export type AmountDue = {
  readonly amount: CryptoAmount
  readonly denomination: Denomination
  readonly network: PayNetwork
  readonly tokenAddress: string | null
  /** With its checksum. */
  readonly address: string
  /** With the amount, for wallets (EIP-681). */
  readonly uri: string
}

/** A row of the list of assets. */
export type Choice = {
  readonly option: PayOption
  readonly amount: CryptoAmount | null
  readonly isChecked: boolean
  /** Why it cannot be chosen. */
  readonly lack: 'network' | 'price' | null
  readonly since: Date | null
}

export const checkoutView = (facts: CheckoutFacts): CheckoutView => {
  const { link, isOpen, payment } = facts
  if (!link) return { status: 'not_found' }
  if (payment) return viewOfPayment(facts, payment)
  if (!isOpen) return { status: 'closed', because: closedBecause(link) }
  return openView(facts, true)
}

/** A link that is still active is closed by its expiration, whose timer may be late. */
const closedBecause = ({ state, context }: Actor<PaymentLink>) => {
  if (state === 'deactivated' || state === 'completed') return state
  return state === 'active' && isTaken(context) ? 'completed' : 'expired'
}

const openView = (facts: CheckoutFacts, needsEmail: boolean): CheckoutView => {
  const choices = choicesOf(facts)
  if (choices.some(({ lack }) => lack === null)) return { status: 'open', needsEmail, choices }
  const away = choices.filter(({ lack }) => lack === 'network')
  const because = choices.length === 0 ? 'setup' : away.length > 0 ? 'networks' : 'prices'
  return { status: 'unavailable', because, since: earliest(away.map(({ since }) => since)) }
}

/** Assets at par first, and of each kind those first that can be chosen. The asset of the payment is checked, else the first. */
const choicesOf = ({ options, troubles }: CheckoutFacts, own?: Partial<Pick<Payment, 'asset' | 'chainId'>>) => {
  const rows = options.map((option): Omit<Choice, 'isChecked'> => {
    const trouble = troubles.get(option.chainId)
    const lack = trouble ? 'network' : option.amount === null ? 'price' : null
    const amount = option.amount === null ? null : dueAmount(option.amount, option, () => true)
    return { option, amount, lack, since: trouble?.since ?? null }
  })
  const rank = ({ option, lack }: (typeof rows)[number]) => (option.isPar ? 0 : 2) + (lack === null ? 0 : 1)
  const sorted = rows.toSorted((a, b) => rank(a) - rank(b))
  const isOwn = ({ option }: (typeof rows)[number]) => option.asset === own?.asset && option.chainId === own.chainId
  const usable = sorted.filter(({ lack }) => lack === null)
  const checked = usable.find(isOwn) ?? usable[0]
  return sorted.map((row): Choice => ({ ...row, isChecked: row === checked }))
}

const earliest = (dates: readonly (Date | null)[]): Date | null =>
  dates.reduce<Date | null>((first, date) => (first === null || (date !== null && date < first) ? date : first), null)

const viewOfPayment = (facts: CheckoutFacts, shown: PaymentFacts): CheckoutView => {
  const { payment, network } = shown
  const { state, context } = payment
  const picked = network && pickOf(context, network)
  if (!picked) {
    if (state === 'canceled') return canceledView(facts, shown)
    const isOver = state !== 'pending' || context.expiresAt <= facts.now
    if (isOver) return { status: 'expired', ended: context.expiresAt, hadAddress: false, strays: shown.strays }
    const closing = closingOf(facts, payment, 0n)
    return closing ? { status: 'closed', because: closing } : openView(facts, false)
  }
  if (state === 'pending') return viewOfPending(facts, shown, picked)
  if (state === 'processing') return seenView(shown, picked)
  if (state === 'success') return paidView(shown, picked)
  if (context.exception === 'late') return lateView(shown, picked)
  if (state === 'canceled') return canceledView(facts, shown)
  if (state === 'failed') return failedView(shown, picked, context.failureReason ?? 'underpaid')
  return { status: 'expired', ended: context.expiresAt, hadAddress: true, strays: shown.strays }
}

/** Another customer has paid a link for one payment, or another payment pays the invoice. */
const closingOf = ({ link, invoice }: CheckoutFacts, { context }: Actor<Payment>, received: bigint): Closing | null => {
  if (!invoice) return received === 0n && link && isTaken(link.context) ? 'taken' : null
  if (invoice.isVoid) return 'void'
  // What has arrived and is final is not due any more.
  return invoice.payableMinor < context.amountMinor - context.receivedMinor ? 'settled' : null
}

/** Payments of an invoice are canceled when nothing of it is due any more. */
const canceledView = (facts: CheckoutFacts, { payment, strays }: PaymentFacts): CheckoutView => {
  const closing = facts.invoice && strays.length === 0 ? closingOf(facts, payment, 0n) : null
  return closing ? { status: 'closed', because: closing } : { status: 'canceled' }
}

/** The fields of a payment that are set together when an asset is picked. */
type PickedAsset = {
  readonly network: PayNetwork
  readonly denomination: Denomination
  readonly address: string
  readonly expected: bigint
  readonly required: number
}

const pickOf = (payment: Payment, network: PayNetwork): PickedAsset | null => {
  const { asset, decimals, address, amountExpected, confirmationsRequired, tokenAddress } = payment
  if (asset === null || decimals === null || address === null || amountExpected === null) return null
  const denomination = { asset, decimals, isNative: tokenAddress === null }
  return { network, denomination, address, expected: amountExpected, required: confirmationsRequired ?? 1 }
}

const viewOfPending = (facts: CheckoutFacts, shown: PaymentFacts, picked: PickedAsset): CheckoutView => {
  const { now } = facts
  const { context } = shown.payment
  const counted = shown.transfers.filter(({ state }) => state !== 'orphaned')
  const ends = earlier(context.expiresAt, context.quoteExpiresAt)
  const inTime = counted.filter(({ minedAt }) => minedAt === null || minedAt <= ends)
  // The chain may show more than was applied to the payment: the customer is not asked for that part again.
  const received = largest(context.amountReceived, sumOf(inTime))
  if (isEnough(context, received)) return seenView(shown, picked)
  if (received === 0n && counted.length > 0) return lateView(shown, picked)
  const { stray } = context
  const closing = closingOf(facts, shown.payment, received)
  const isEnded = (received > 0n ? ends : context.expiresAt) <= now
  if (closing && !isEnded && (stray === null || closing === 'void')) return { status: 'closed', because: closing }
  const isOver = ends <= now
  if (isOver && received > 0n) return failedView(shown, picked, 'underpaid')
  if (isOver && stray === null)
    return context.expiresAt <= now
      ? { status: 'expired', ended: context.expiresAt, hadAddress: true, strays: shown.strays }
      : {
          status: 'price_expired',
          due: dueOf(context, picked, picked.expected),
          ended: ends,
          choices: choicesOf(facts, context),
        }
  const isUntouched = received === 0n && stray === null
  return {
    status: stray ?? (received > 0n ? 'underpaid' : 'pay'),
    due: isOver ? null : dueOf(context, picked, picked.expected - received),
    ends,
    received: received > 0n ? arrivedAmount(received, picked.denomination) : null,
    expected: dueOf(context, picked, picked.expected).amount,
    stray: stray && (shown.strays[0] ?? unknownStray(stray === 'wrong_chain')),
    wait: isUntouched ? waitOf(shown) : null,
    trouble: facts.troubles.get(picked.network.chainId) ?? null,
    choices: isUntouched ? choicesOf(facts, context) : [],
  }
}

const waitOf = ({ transfers, submitted }: PaymentFacts): PayView['wait'] => {
  const dropped = transfers.find(({ state }) => state === 'orphaned')
  if (dropped) return { because: 'dropped', txHash: dropped.txHash }
  return submitted === null ? null : { because: 'submitted', txHash: submitted }
}

/** Its transfers are not read yet. */
const unknownStray = (isOtherChain: boolean): StrayMoney => ({
  ...{ amount: 0n, asset: null, decimals: 0, isNative: false, network: null, isOtherChain },
  ...{ txHash: null, explorerUrl: null },
})

const dueOf = (payment: Payment, { network, denomination, address }: PickedAsset, units: bigint): AmountDue => {
  const { amountReceived, tokenAddress } = payment
  const isAcceptable = (rounded: bigint) => !isTooMuch(payment, amountReceived + rounded)
  const amount = dueAmount(units, denomination, isAcceptable)
  const uri = transferUri({ chainId: network.chainId, tokenAddress, to: address, amount: amount.units })
  const token = tokenAddress && checksummed(tokenAddress)
  return { amount, denomination, network, tokenAddress: token, address: checksummed(address), uri }
}

const seenView = ({ payment, transfers, confirmations, txHash }: PaymentFacts, picked: PickedAsset): SeenView => {
  const counted = transfers.filter(({ state }) => state !== 'orphaned')
  const received = largest(payment.context.amountReceived, sumOf(counted))
  return {
    status: 'seen',
    amount: arrivedAmount(received, picked.denomination),
    network: picked.network,
    confirmations,
    required: picked.required,
    txHash: txHash ?? counted.at(-1)?.txHash ?? null,
    seenAt: latestOf(counted.map(({ minedAt }) => minedAt)),
  }
}

const paidView = ({ payment, txHash, strays, completedAt }: PaymentFacts, picked: PickedAsset): PaidView => {
  const { context } = payment
  const { amountReceived, exception } = context
  const excess = amountReceived - picked.expected
  return {
    status: exception === 'overpaid' ? 'overpaid' : 'paid',
    amount: arrivedAmount(amountReceived, picked.denomination),
    expected: arrivedAmount(picked.expected, picked.denomination),
    excess: arrivedAmount(excess > 0n ? excess : 0n, picked.denomination),
    network: picked.network,
    txHash,
    completedAt,
    strays,
  }
}

const lateView = ({ payment, transfers, txHash }: PaymentFacts, picked: PickedAsset): LateView => {
  const { context, state } = payment
  const counted = transfers.filter(each => each.state !== 'orphaned')
  const ended = earlier(context.expiresAt, context.quoteExpiresAt)
  return {
    status: 'late',
    amount: arrivedAmount(largest(context.amountReceived, sumOf(counted)), picked.denomination),
    network: picked.network,
    ended,
    isPriceLate: state === 'pending' && ended < context.expiresAt,
    arrivedAt: latestOf(counted.map(({ minedAt }) => minedAt)),
    txHash: txHash ?? counted.at(-1)?.txHash ?? null,
  }
}

const failedView = (shown: PaymentFacts, picked: PickedAsset, reason: FailedView['reason']): FailedView => {
  const { payment, transfers, txHash, submitted, strays } = shown
  const counted = transfers.filter(each => each.state !== 'orphaned')
  return {
    status: 'failed',
    reason,
    network: picked.network,
    denomination: picked.denomination,
    received: arrivedAmount(largest(payment.context.amountReceived, sumOf(counted)), picked.denomination),
    expected: arrivedAmount(picked.expected, picked.denomination),
    txHash: txHash ?? submitted ?? counted.at(-1)?.txHash ?? null,
    strays,
  }
}

const sumOf = (transfers: readonly { readonly amount: bigint }[]): bigint =>
  transfers.reduce((sum, { amount }) => sum + amount, 0n)

const largest = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const earlier = (date: Date, other: Date | null): Date => (other !== null && other < date ? other : date)

const latestOf = (dates: readonly (Date | null)[]): Date | null =>
  dates.reduce<Date | null>((last, date) => (date !== null && (last === null || date > last) ? date : last), null)
