import type { Refund } from '../../../machines/refund.ts'
import type { Row } from '../../actors/command.ts'
import type { Actor } from '../../actors/kind.ts'
import * as query from '../../queries/refund-transactions.ts'
import type { World } from '../../world.ts'
import { unlessUnanswered } from '../watch/beside.ts'
import type { Mined, TransactionSource } from '../watch/transactions.ts'
import { refundNamedIn } from './transfer.ts'
import { type Verdict, verdictOn } from './verdict.ts'

/** A verdict with what is to be written down beside it, or why there is none. */
export type Judgement = (Verdict & { readonly rows?: readonly Row[] }) | { readonly doubt: query.Doubt }

type Own = Pick<query.Reach, 'final'> & {
  readonly transactions: TransactionSource
  readonly signal: AbortSignal
}

/**
 * Says whether a final transaction has paid the refund. Where it shows nothing of the refund's coins, a contract may
 * have sent them on, as the wallets do that several people sign for: the balance of the destination tells that.
 */
export const judge = async (
  { sql }: World,
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
  // Nothing has run that could have sent any.
  if (mined.to !== null && (await transactions.hasCode(mined.to, signal)) === false) return verdict

  const at = { address: destination.toLowerCase(), number: mined.blockNumber }
  const holding = await unlessUnanswered(transactions.held({ ...at, but: txHash }, own.final, signal))
  if (!holding) return { doubt: 'balance_unknown' }
  const isExact = holding.rise === refund.context.amount
  if (!isExact && holding.maySend) return { doubt: 'balance_unclear' }
  if (holding.rise <= 0n) return holding.rise < 0n ? { doubt: 'balance_unclear' } : verdict
  if (await query.isRiseShared(sql, refund, at)) return { doubt: 'balance_unclear' }
  if (!isExact) return { ...verdict, failure: 'amount_mismatch', strayed: true }
  return { ...verdict, failure: null, rows: [riseRow(refund, at)] }
}

/** One refund is paid with it: another that comes to the same finding at the same time is refused. */
const riseRow = ({ id, context }: Actor<Refund>, { address, number }: query.Rise): Row => ({
  table: 'refund_rises',
  row: { chain_id: context.chainId, address, block_number: number, refund_id: id },
})
