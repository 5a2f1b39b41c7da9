import type { PaymentWithCrypto, RefundWithAttention } from '../../api/calls.ts'

/** What arrived for a payment, at its own quote, and what of it other refunds have not taken. */
export const remainingOf = (
  { amountMinor, crypto }: PaymentWithCrypto,
  refunds: readonly RefundWithAttention[],
): { readonly remaining: number; readonly taken: number } => {
  const expected = BigInt(crypto?.amountExpected ?? 0)
  const received = expected > 0n ? (BigInt(amountMinor) * BigInt(crypto?.amountReceived ?? 0)) / expected : 0n
  const taken = refunds
    .filter(({ status }) => status !== 'failed' && status !== 'canceled')
    .reduce((sum, refund) => sum + refund.amountMinor, 0)
  return { remaining: Math.max(0, Number(received) - taken), taken }
}

/** Whether something has arrived, and the payment has ended: only then it can be refunded. */
export const isRefundable = ({ status, crypto }: PaymentWithCrypto): boolean =>
  status !== 'pending' && status !== 'processing' && crypto !== null && crypto.amountReceived !== '0'
