import type { PaymentWithCrypto } from '../../api/calls.ts'
import type { StatePath } from '../../parts/state-strip.tsx'
import type { DashboardTexts } from '../../text/dashboard/texts.ts'
import type { Formats } from '../../text/format.ts'

type Words = DashboardTexts['states']

/**
 * How far a payment got on its main path. An exception replaces the word while it matters: after a decision about it, a late
 * payment is just expired or paid.
 */
export const paymentPath = ({ status, crypto, attention }: PaymentWithCrypto, states: Words): StatePath => {
  const words = [states.waiting, states.confirming, states.paid]
  const exception = crypto?.exception ?? null
  const strays = { wrong_asset: states.wrongAsset, wrong_chain: states.wrongNetwork }
  const stray = exception === 'wrong_asset' || exception === 'wrong_chain' ? strays[exception] : undefined
  const warning = { words, shape: 'warn', tone: 'warn' } as const
  switch (status) {
    case 'processing':
      return { words, at: 1, tone: 'info' }
    case 'success':
      return exception === 'overpaid' && attention
        ? { ...warning, at: 2, word: states.overpaid }
        : { words, at: 2, shape: 'done', tone: 'good' }
    case 'pending':
      if (stray) return { ...warning, at: 0, word: stray }
      return exception === 'underpaid' ? { ...warning, at: 0, word: states.underpaid } : { words, at: 0 }
    default:
      if (exception === 'late' && attention) return { ...warning, at: 0, word: states.late }
      if (exception === 'underpaid' && attention) return { ...warning, at: 0, word: states.underpaid }
      if (stray && attention) return { ...warning, at: 0, word: stray }
  }
  if (status === 'failed') return { words, at: 0, word: states.failed, shape: 'bad', tone: 'bad' }
  if (status === 'expired') return { words, at: 0, word: states.expired, shape: 'over', tone: 'quiet' }
  return { words, at: 0, word: states.canceled, shape: 'off', tone: 'quiet' }
}

/** What is worth knowing beside the state, in a few words. */
export const paymentRemark = (payment: PaymentWithCrypto, states: Words, formats: Formats): string | undefined => {
  const { status, crypto, amountMinor, amountRefundedMinor, currency, failureReason } = payment
  if (amountRefundedMinor > 0)
    return amountRefundedMinor >= amountMinor
      ? states.refunded
      : states.partlyRefunded(formats.money(amountRefundedMinor, currency))
  if (status === 'processing' && crypto?.confirmationsRequired != null)
    return states.confirmations(crypto.confirmations, crypto.confirmationsRequired)
  if (status === 'failed' && failureReason) return states.failures[failureReason]
  const due = amountDue(payment)
  return status === 'pending' && crypto?.exception === 'underpaid' && due && due.units > 0n
    ? states.due(formats.units(due.units, due))
    : undefined
}

/** What is still missing, in the chosen asset. */
const amountDue = ({ crypto }: PaymentWithCrypto) => {
  if (crypto?.asset == null || crypto.decimals === null || crypto.amountExpected === null) return undefined
  const { asset, decimals, amountExpected, amountReceived } = crypto
  return { asset, decimals, units: BigInt(amountExpected) - BigInt(amountReceived) }
}

/** Whether it has ended without being paid, and needs no decision. */
export const isPaymentOver = ({ status, attention }: PaymentWithCrypto): boolean =>
  (status === 'expired' || status === 'failed' || status === 'canceled') && !attention

/** The asset and network, once the customer has chosen them. */
export const paidWith = ({ crypto }: PaymentWithCrypto): string =>
  crypto?.asset == null ? '–' : `${crypto.asset} · ${crypto.network}`
