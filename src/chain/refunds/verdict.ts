import type { Refund, RefundEvent } from '../../../machines/refund.ts'
import type { Actor } from '../../actors/kind.ts'
import type { Beginning } from '../../queries/refund-transactions.ts'
import type { Mined } from '../watch/transactions.ts'
import { refundNamedIn } from './transfer.ts'

export type RefundFailure = Extract<RefundEvent, { type: 'transaction_failed' }>['failureReason']

/** What a final transaction says of the refund that it is said to pay. */
export type RefundVerdict = {
  /** Null when it has paid the refund. */
  readonly failure: RefundFailure | null
  /** It has brought the destination money that the refund is not of, or more than that: nobody can tell what for. */
  readonly strayed: boolean
  /** It shows no money of the refund's asset, and was not made for something else: a contract may have sent coins on. */
  readonly maySendOn?: true
}

/** A refund, and how far the books were when it was asked for. */
type Judged = { readonly refund: Pick<Actor<Refund>, 'id' | 'context'>; readonly begun: Beginning | null }
type Named = { readonly namesAnother: boolean }

/**
 * It has paid the refund when exactly that came to the destination, whatever else came with it. From whom does not
 * matter: people pay from where they can.
 *
 * `namesAnother`: it carries the id of another refund. It may have paid the same amount to the same address, and was for
 * something else.
 */
export const verdictOn = (mined: Mined, { context }: Judged['refund'], { namesAnother }: Named): RefundVerdict => {
  if (mined.status === 'reverted') return { failure: 'reverted', strayed: false }
  if (namesAnother) return { failure: 'wrong_recipient', strayed: false }
  const { tokenAddress, destination, amount } = context
  const token = tokenAddress?.toLowerCase() ?? null
  const there = paidBy(mined).filter(({ to }) => to === destination?.toLowerCase())
  const ours = there.filter(paid => paid.token === token)
  const moved = there.filter(paid => paid.amount > 0n)
  const exact = ours.find(paid => paid.amount === amount)
  if (exact) return { failure: null, strayed: moved.some(paid => paid !== exact) }
  if (ours.some(paid => paid.amount > 0n)) return { failure: 'amount_mismatch', strayed: true }
  if (moved.length > 0) return { failure: 'wrong_asset', strayed: true, maySendOn: true }
  return { failure: ours.length > 0 ? 'amount_mismatch' : 'wrong_recipient', strayed: false, maySendOn: true }
}

/**
 * Whether it was mined before the refund was asked for, and so for something else. `unclear`: in blocks that were there
 * by then and not final, which may have given way to others with what was sent since. What carries the refund's own id
 * was made for it, wherever it is: nobody knew that id before.
 */
export const ageOf = ({ blockNumber, input }: Mined, { refund, begun }: Judged): 'earlier' | 'unclear' | 'later' => {
  if (begun === null || blockNumber > begun.headNumber || refundNamedIn(input) === refund.id) return 'later'
  return blockNumber > begun.finalNumber ? 'unclear' : 'earlier'
}

/** Both, of a transaction that nobody has named yet. */
export const failureOf = (mined: Mined, judged: Judged, named: Named): RefundFailure | null =>
  verdictOn(mined, judged.refund, named).failure ?? (ageOf(mined, judged) === 'later' ? null : 'wrong_recipient')

/** Coins count as the transaction's own: what contracts send on is told by no log (see judge.ts). */
const paidBy = ({ to, value, transfers }: Mined) => [
  ...transfers,
  ...(to === null ? [] : [{ token: null, to, amount: value }]),
]
