import type { Refund, RefundEvent } from '../../../machines/refund.ts'
import type { Actor } from '../../actors/kind.ts'
import type { Beginning } from '../../queries/refund-transactions.ts'
import type { Mined } from '../watch/transactions.ts'
import { refundNamedIn } from './transfer.ts'

export type RefundFailure = Extract<RefundEvent, { type: 'transaction_failed' }>['failureReason']

/** What a final transaction did for the refund that names it. */
export type RefundVerdict = {
  /** Null: it has paid the refund. */
  readonly failure: RefundFailure | null
  /** It sent the destination other money or more than the refund's amount: the purpose is not known. */
  readonly strayed: boolean
  /**
   * It shows no transfer of the refund's asset and belongs to no other refund: a contract may have sent native currency
   * in an internal transfer.
   */
  readonly maySendOn?: true
}

/** A refund, and how far its chain was read when the refund was requested. */
type RefundToVerify = { readonly refund: Pick<Actor<Refund>, 'id' | 'context'>; readonly begun: Beginning | null }
type Named = { readonly namesAnother: boolean }

/**
 * A transaction pays the refund if it sends exactly the amount to the destination, whatever else it does. The sender
 * does not matter: merchants pay from different wallets.
 *
 * `namesAnother`: it carries the id of another refund. It may have sent the same amount to the same address, for that
 * refund.
 */
export const verdictOn = (
  mined: Mined,
  { context }: RefundToVerify['refund'],
  { namesAnother }: Named,
): RefundVerdict => {
  if (mined.status === 'reverted') return { failure: 'reverted', strayed: false }
  if (namesAnother) return { failure: 'wrong_recipient', strayed: false }
  const { tokenAddress, destination, amount } = context
  const token = tokenAddress?.toLowerCase() ?? null
  const there = paidBy(mined).filter(({ to }) => to === destination?.toLowerCase())
  const toCustomer = there.filter(paid => paid.token === token)
  const moved = there.filter(paid => paid.amount > 0n)
  const exact = toCustomer.find(paid => paid.amount === amount)
  if (exact) return { failure: null, strayed: moved.some(paid => paid !== exact) }
  if (toCustomer.some(paid => paid.amount > 0n)) return { failure: 'amount_mismatch', strayed: true }
  if (moved.length > 0) return { failure: 'wrong_asset', strayed: true, maySendOn: true }
  return { failure: toCustomer.length > 0 ? 'amount_mismatch' : 'wrong_recipient', strayed: false, maySendOn: true }
}

/**
 * Whether the transaction was mined before the refund was requested, and so for another purpose. `unclear`: it is in a
 * block that existed by then and was not final, so a reorg may have moved a later transaction there. A transaction with
 * the refund's own id is always `later`, because the id was not known before.
 */
export const ageOf = (
  { blockNumber, input }: Mined,
  { refund, begun }: RefundToVerify,
): 'earlier' | 'unclear' | 'later' => {
  if (begun === null || blockNumber > begun.headNumber || refundNamedIn(input) === refund.id) return 'later'
  return blockNumber > begun.finalNumber ? 'unclear' : 'earlier'
}

/** The verdict and the age together, for a transaction that no refund names. */
export const failureOf = (mined: Mined, judged: RefundToVerify, named: Named): RefundFailure | null =>
  verdictOn(mined, judged.refund, named).failure ?? (ageOf(mined, judged) === 'later' ? null : 'wrong_recipient')

/**
 * Native currency counts only as the transaction's own value: no log shows what contracts send on (see
 * verify-transaction.ts).
 */
const paidBy = ({ to, value, transfers }: Mined) => [
  ...transfers,
  ...(to === null ? [] : [{ token: null, to, amount: value }]),
]
