import type { Mismatch } from '../../../machines/payment-events.ts'
import type { Mined } from './transactions.ts'

export type ExpectedPayment = {
  /** Null: the chain's own coin. */
  readonly token: string | null
  /** All that the payment was ever given. */
  readonly addresses: readonly string[]
}

/**
 * What is wrong with a transaction that a customer says to have paid with; null when it has paid, be it too little:
 * that is for the books to tell. Money at the right address says more than what else there may be.
 */
export const mismatchOf = ({ status, ...mined }: Mined, { token, addresses }: ExpectedPayment): Mismatch | null => {
  if (status === 'reverted') return 'reverted'
  const ours = paidBy(mined).filter(({ to }) => addresses.includes(to))
  const picked = ours.filter(paid => paid.token === token)
  if (picked.some(({ amount }) => amount > 0n)) return null
  if (ours.some(({ amount }) => amount > 0n)) return 'wrong_asset'
  return picked.length > 0 ? 'amount_mismatch' : 'wrong_recipient'
}

/** The assets that a payment's addresses have got; null is the chain's own coin. */
export const assetsPaid = (mined: Mined, addresses: readonly string[]): readonly (string | null)[] =>
  mined.status === 'reverted'
    ? []
    : paidBy(mined)
        .filter(({ to, amount }) => amount > 0n && addresses.includes(to))
        .map(({ token }) => token)

const paidBy = ({ to, value, transfers }: Omit<Mined, 'status'>) => [
  ...transfers,
  ...(to === null ? [] : [{ token: null, to, amount: value }]),
]
