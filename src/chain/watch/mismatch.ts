import type { Mismatch } from '../../../machines/payment-events.ts'
import type { Mined } from './transactions.ts'

export type ExpectedPayment = {
  /** Null: native currency. */
  readonly token: string | null
  /** All deposit addresses of the payment. */
  readonly addresses: readonly string[]
}

/**
 * What is wrong with a transaction that a customer submitted; null when it paid the payment, even too little: the
 * recorded transfers decide about the amount. A transfer to one of the addresses takes precedence over other findings.
 */
export const mismatchOf = ({ status, ...mined }: Mined, { token, addresses }: ExpectedPayment): Mismatch | null => {
  if (status === 'reverted') return 'reverted'
  const toPayment = paidBy(mined).filter(({ to }) => addresses.includes(to))
  const picked = toPayment.filter(paid => paid.token === token)
  if (picked.some(({ amount }) => amount > 0n)) return null
  if (toPayment.some(({ amount }) => amount > 0n)) return 'wrong_asset'
  return picked.length > 0 ? 'amount_mismatch' : 'wrong_recipient'
}

/** The assets that the payment's addresses received. Null is the native currency. */
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
