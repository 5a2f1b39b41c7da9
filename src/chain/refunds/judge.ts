import type { Refund } from '../../../machines/refund.ts'
import type { Row } from '../../actors/command.ts'
import type { Actor } from '../../actors/kind.ts'
import type { Services } from '../../actors/services.ts'
import * as query from '../../queries/refund-transactions.ts'
import { unlessUnanswered } from '../watch/beside.ts'
import type { Mined, TransactionSource } from '../watch/transactions.ts'
import { refundNamedIn } from './transfer.ts'
import { ageOf, type RefundVerdict, verdictOn } from './verdict.ts'

/** A verdict with what is to be written down beside it, or why there is none. */
export type Judgement = (RefundVerdict & { readonly rows?: readonly Row[] }) | { readonly doubt: query.RefundDoubt }

type Own = Pick<query.Reach, 'final'> & {
  readonly transactions: TransactionSource
  readonly signal: AbortSignal
}

/** Says whether a final transaction has paid the refund. What was mined before it has not, and has moved money. */
export const judge = async (world: Services, own: Own, due: query.DueRefund, mined: Mined): Promise<Judgement> => {
  const judgement = await judgeMoney(world, own, due, mined)
  if ('doubt' in judgement || judgement.failure !== null) return judgement
  const age = ageOf(mined, due)
  if (age === 'unclear') return { doubt: 'possibly_earlier' }
  return age === 'earlier' ? { failure: 'wrong_recipient', strayed: true } : judgement
}

/**
 * Where it shows nothing of the refund's coins, a contract may have sent them on, as the wallets do that several people
 * sign for: the balance of the destination tells that.
 */
const judgeMoney = async (
  { sql }: Services,
  own: Own,
  { refund, txHash }: query.DueRefund,
  mined: Mined,
): Promise<Judgement> => {
  const named = refundNamedIn(mined.input)
  // Sixteen bytes at the end may be anything: they are an id where there is such a refund.
  const namesAnother = named !== undefined && named !== refund.id && (await query.isRefund(sql, named))
  const verdict = verdictOn(mined, refund, { namesAnother })
  const { tokenAddress, destination } = refund.context
  if (tokenAddress !== null || destination === null || !verdict.maySendOn) return verdict
  const { transactions, signal } = own
  const { to, blockNumber: number } = mined
  const called = to === null ? null : { address: to, number }
  // Nothing has run that could have sent any.
  if (called && (await unlessUnanswered(transactions.hadCode(called, own.final, signal))) === false) return verdict

  const at = { address: destination.toLowerCase(), number }
  const holding = await unlessUnanswered(transactions.held({ ...at, but: txHash }, own.final, signal))
  if (!holding) return { doubt: 'balance_unknown' }
  const { rise, maySend } = holding
  const { amount } = refund.context
  // More has come: several payments in one block look so, each of which may be as it should be.
  if ((rise !== amount && maySend) || rise < 0n || rise > amount) return { doubt: 'balance_unclear' }
  if (rise === 0n) return verdict
  if (await query.isRiseShared(sql, refund, at)) return { doubt: 'balance_unclear' }
  if (rise < amount) return { ...verdict, failure: 'amount_mismatch', strayed: true }
  // Somebody else may have sent as much in the same block: it must have left what the transaction has called.
  const fallen = called && (await unlessUnanswered(transactions.fallen(called, own.final, signal)))
  if (fallen === undefined) return { doubt: 'balance_unknown' }
  if (fallen === null || fallen + mined.value < amount) return { doubt: 'balance_unclear' }
  return { ...verdict, failure: null, rows: [riseRow(refund, at)] }
}

/** One refund is paid with it: another that comes to the same finding at the same time is refused. */
const riseRow = ({ id, context }: Actor<Refund>, { address, number }: query.Rise): Row => ({
  table: 'refund_rises',
  row: { chain_id: context.chainId, address, block_number: number, refund_id: id },
})
