import type { Refund, RefundEvent } from '../../../machines/refund.ts'
import type { Actor } from '../../actors/kind.ts'
import type { Mined } from '../watch/transactions.ts'
import { refundNamedIn } from './transfer.ts'

export type Failure = Extract<RefundEvent, { type: 'transaction_failed' }>['failureReason']

/** Clocks of chains and of databases agree about as well: what was mined earlier than this was not meant for the refund. */
const CLOCKS_APART_MS = 60_000

/**
 * What is wrong with a final transaction that a refund is said to be paid with; null when it has paid exactly that.
 * From whom does not matter: people pay from where they can.
 *
 * `namesAnother`: it carries the id of another refund. Like one that was mined before this refund was asked for, it
 * may have paid the same amount to the same address, and was for something else. What carries this refund's own id
 * was made for it, whatever the clocks say: nobody knew that id before.
 */
export const failureOf = (
  mined: Mined,
  {
    id,
    context: { tokenAddress, destination, amount },
    createdAt,
  }: Pick<Actor<Refund>, 'id' | 'context' | 'createdAt'>,
  { namesAnother }: { readonly namesAnother: boolean },
): Failure | null => {
  if (mined.status === 'reverted') return 'reverted'
  const isEarlier = mined.timestamp * 1000 < createdAt.getTime() - CLOCKS_APART_MS
  if (namesAnother || (isEarlier && refundNamedIn(mined.input) !== id)) return 'wrong_recipient'
  const token = tokenAddress?.toLowerCase() ?? null
  const there = paidBy(mined).filter(({ to }) => to === destination?.toLowerCase())
  const ours = there.filter(paid => paid.token === token)
  // Paid twice by one transaction is paid wrongly: nobody could tell what the second was for.
  if (ours.filter(paid => paid.amount === amount).length === 1) return null
  if (ours.some(paid => paid.amount > 0n)) return 'amount_mismatch'
  if (there.some(paid => paid.amount > 0n)) return 'wrong_asset'
  return ours.length > 0 ? 'amount_mismatch' : 'wrong_recipient'
}

/** Coins count as the transaction's own: what contracts send on is told by no log. */
const paidBy = ({ to, value, transfers }: Mined) => [
  ...transfers,
  ...(to === null ? [] : [{ token: null, to, amount: value }]),
]
