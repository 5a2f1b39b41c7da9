import type { Refund } from '../../../machines/refund.ts'
import type { Row } from '../../actors/command.ts'
import type { Actor } from '../../actors/kind.ts'
import type { Services } from '../../actors/services.ts'
import * as query from '../../queries/refund-transactions.ts'
import { unlessUnanswered } from '../watch/chain-loops.ts'
import type { Mined, TransactionSource } from '../watch/transactions.ts'
import { refundNamedIn } from './transfer.ts'
import { ageOf, type RefundVerdict, verdictOn } from './verdict.ts'

/** A verdict with the rows to store with it, or the reason why there is none yet. */
export type RefundVerification =
  | (RefundVerdict & { readonly rows?: readonly Row[] })
  | { readonly doubt: query.RefundDoubt }

type Own = Pick<query.Reach, 'final'> & {
  readonly transactions: TransactionSource
  readonly signal: AbortSignal
}

/**
 * Decides whether a final transaction has paid the refund. A transaction mined before the refund was requested has not
 * paid it, although it moved money.
 */
export const verifyTransaction = async (
  world: Services,
  own: Own,
  due: query.DueRefund,
  mined: Mined,
): Promise<RefundVerification> => {
  const verification = await verifyTransfer(world, own, due, mined)
  if ('doubt' in verification || verification.failure !== null) return verification
  const age = ageOf(mined, due)
  if (age === 'unclear') return { doubt: 'possibly_earlier' }
  return age === 'earlier' ? { failure: 'wrong_recipient', strayed: true } : verification
}

/**
 * A contract may have sent the refund's native currency in an internal transfer, as multisig wallets do. Where the
 * transaction itself shows no such transfer, the balance of the destination decides.
 */
const verifyTransfer = async (
  { sql }: Services,
  own: Own,
  { refund, txHash }: query.DueRefund,
  mined: Mined,
): Promise<RefundVerification> => {
  const named = refundNamedIn(mined.input)
  // The last 16 bytes may be any data. They count as an id if a refund with this id exists.
  const namesAnother = named !== undefined && named !== refund.id && (await query.isRefund(sql, named))
  const verdict = verdictOn(mined, refund, { namesAnother })
  const { tokenAddress, destination } = refund.context
  if (tokenAddress !== null || destination === null || !verdict.maySendOn) return verdict
  const { transactions, signal } = own
  const { to, blockNumber: number } = mined
  const called = to === null ? null : { address: to, number }
  // No code ran that could have sent native currency.
  if (called && (await unlessUnanswered(transactions.hadCode(called, own.final, signal))) === false) return verdict

  const at = { address: destination.toLowerCase(), number }
  const change = await unlessUnanswered(transactions.changeIn({ ...at, but: txHash }, own.final, signal))
  if (!change) return { doubt: 'balance_unknown' }
  const { rise, maySend } = change
  const { amount } = refund.context
  // More or less arrived than the amount, which several correct payments in one block also cause.
  if ((rise !== amount && maySend) || rise < 0n || rise > amount) return { doubt: 'balance_unclear' }
  if (rise === 0n) return verdict
  if (await query.isRiseShared(sql, refund, at)) return { doubt: 'balance_unclear' }
  if (rise < amount) return { ...verdict, failure: 'amount_mismatch', strayed: true }
  // Another account may have sent the same amount in the same block: the balance of the called contract must have
  // fallen by it.
  const fallen = called && (await unlessUnanswered(transactions.decreaseIn(called, own.final, signal)))
  if (fallen === undefined) return { doubt: 'balance_unknown' }
  if (fallen === null || fallen + mined.value < amount) return { doubt: 'balance_unclear' }
  return { ...verdict, failure: null, rows: [riseRow(refund, at)] }
}

/** A rise pays one refund: a second one that claims it at the same time is refused by the primary key. */
const riseRow = ({ id, context }: Actor<Refund>, { address, number }: query.Rise): Row => ({
  table: 'refund_rises',
  row: { chain_id: context.chainId, address, block_number: number, refund_id: id },
})
