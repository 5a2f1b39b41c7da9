import type { Refund, RefundEvent } from '../../../machines/refund.ts'
import type { Actor } from '../../actors/kind.ts'
import type { Mined } from '../watch/transactions.ts'
import { refundNamedIn } from './transfer.ts'

export type Failure = Extract<RefundEvent, { type: 'transaction_failed' }>['failureReason']

/** Clocks of chains and of databases agree about as well: what was mined earlier than this was not meant for the refund. */
const CLOCKS_APART_MS = 60_000

/** What a final transaction says of the refund that it is said to pay. */
export type Verdict = {
  /** Null when it has paid the refund. */
  readonly failure: Failure | null
  /** It has brought the destination money that the refund is not of, or more than that: nobody can tell what for. */
  readonly strayed: boolean
  /** It shows no money of the refund's asset, and was not made for something else: a contract may have sent coins on. */
  readonly maySendOn?: true
}

type Judged = Pick<Actor<Refund>, 'id' | 'context' | 'createdAt'>
type Named = { readonly namesAnother: boolean }

/**
 * It has paid the refund when exactly that came to the destination, whatever else came with it. From whom does not
 * matter: people pay from where they can.
 *
 * `namesAnother`: it carries the id of another refund. Like one that was mined before this refund was asked for, it
 * may have paid the same amount to the same address, and was for something else. What carries this refund's own id
 * was made for it, whatever the clocks say: nobody knew that id before.
 */
export const verdictOn = (mined: Mined, { id, context, createdAt }: Judged, { namesAnother }: Named): Verdict => {
  if (mined.status === 'reverted') return { failure: 'reverted', strayed: false }
  const isEarlier = mined.timestamp * 1000 < createdAt.getTime() - CLOCKS_APART_MS
  if (namesAnother || (isEarlier && refundNamedIn(mined.input) !== id)) return isOfOther
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

/** The same, of a transaction that nobody has named yet. */
export const failureOf = (mined: Mined, refund: Judged, named: Named): Failure | null =>
  verdictOn(mined, refund, named).failure

const isOfOther: Verdict = { failure: 'wrong_recipient', strayed: false }

/** Coins count as the transaction's own: what contracts send on is told by no log (see judge.ts). */
const paidBy = ({ to, value, transfers }: Mined) => [
  ...transfers,
  ...(to === null ? [] : [{ token: null, to, amount: value }]),
]
