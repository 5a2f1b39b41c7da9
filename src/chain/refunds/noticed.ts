import type { Refund } from '../../../machines/refund.ts'
import { unlessLocked } from '../../actors/command.ts'
import type { Actor } from '../../actors/kind.ts'
import type { Services } from '../../actors/services.ts'
import { encodeId, uuidFrom } from '../../ids.ts'
import { claimNoticed, forgetNoticed, type Noticed } from '../../queries/noticed-transfers.ts'
import { isRefund, type Reach } from '../../queries/refund-transactions.ts'
import { unlessUnanswered } from '../watch/beside.ts'
import type { Mined, TransactionSource } from '../watch/transactions.ts'
import { refundNamedIn } from './transfer.ts'
import { failureOf } from './verdict.ts'

export type RefundChain = {
  readonly id: number
  readonly pollMs: number
  readonly transactions: TransactionSource
}
/** Looked at at once. */
const MOST = 20

/**
 * In vain, which takes a day: by then a transaction that a reorganisation took away has come back, or never will. One
 * that is there is kept for thirty until it is known what its refund, and those like it, are paid with.
 */
const MOST_LOOKS = { again: 296, later: 30 * 296 }

/**
 * Takes transfers that nobody has announced for those of refunds: by the refund's id in their data, or, without one,
 * from an address of the merchant's where nothing else waits that would fit as well. Nobody is guessed. What
 * names a refund that is over, or is paid otherwise, is for a person to look at, and so is what comes from the
 * merchant and is no other refund's; so is its own transaction that was taken for dropped and is mined after all.
 */
export const takeNoticed = async (world: Services, chain: RefundChain, own: Own): Promise<number> => {
  const found = await claimNoticed(world.sql, chain.id, MOST)
  await Promise.all(
    found.map(each =>
      unlessUnanswered(
        take(world, { ...chain, ...own }, each).then(async next => {
          if (next === 'never' || each.looks > MOST_LOOKS[next]) await forgetNoticed(world.sql, each)
        }),
      ),
    ),
  )
  return found.length
}

type Own = Pick<Reach, 'final'> & { readonly signal: AbortSignal }

/** When it is to be looked at again: `later`, once it is known what else is paid. */
type Next = 'never' | 'again' | 'later'

const take = async (
  world: Services,
  { transactions, final, signal }: RefundChain & Own,
  noticed: Noticed,
): Promise<Next> => {
  const { refund, txHash } = noticed
  const { context, state } = refund
  const isDropped = state === 'failed' && context.failureReason === 'dropped'
  if (context.txHash === txHash && !isDropped) return 'never'
  const number = await transactions.place(txHash, signal)
  const mined = typeof number === 'number' && (await transactions.mined(txHash, number, final, signal))
  if (!mined) return 'again'
  const named = refundNamedIn(mined.input)
  const isNamed = named === refund.id || noticed.isTold
  const namesAnother = noticed.isOfAnother || (!isNamed && named !== undefined && (await isRefund(world.sql, named)))
  if (failureOf(mined, noticed, { namesAnother }) !== null) return 'never'
  if (!isNamed && !(noticed.isMerchants && isAgreedFrom(mined, noticed))) return 'never'

  switch (state) {
    case 'requires_signature':
      return isNamed || noticed.isOnlyFit ? tell(world, noticed, 'transaction_sent') : 'never'
    case 'processing':
      // Signed by a signer of ours, the other one may be mined whenever it likes.
      if (!isNamed || noticed.isSigned || !(await isGone(refund, transactions, final, signal))) return 'later'
      return tell(world, noticed, 'transaction_replaced', { instead: context.txHash })
    default:
      if (mined.blockNumber > final.number) return 'again'
      return isNamed || !mayBeOfOther(mined, noticed) ? tell(world, noticed, 'stray_transfer_seen') : 'later'
  }
}

/** Another refund of as much to the same destination still waits for its money, and had been asked for by then. */
const mayBeOfOther = ({ blockNumber }: Mined, { othersFrom }: Noticed): boolean =>
  othersFrom !== null && blockNumber > othersFrom

/** One node alone may have said from where it came as it told the block, and whose it is was judged by that. */
const isAgreedFrom = (mined: Mined, { refund: { context }, from }: Noticed): boolean => {
  const [token, destination] = [context.tokenAddress?.toLowerCase(), context.destination?.toLowerCase()]
  if (token === undefined) return mined.from === from
  return mined.transfers.some(
    moved =>
      moved.from === from && moved.token === token && moved.to === destination && moved.amount === context.amount,
  )
}

/** Wallets replace a transaction that waits too long by another one, which the chain has taken instead. */
const isGone = async (
  { context }: Actor<Refund>,
  transactions: RefundChain['transactions'],
  final: Reach['final'],
  signal: AbortSignal,
): Promise<boolean> => context.txHash !== null && (await transactions.lacks(context.txHash, final, signal)) === true

/** Refused where somebody was faster, or another refund is paid with it: it is looked at as things are then. */
const tell = async (
  { actors, log }: Services,
  { refund, txHash }: Noticed,
  type: string,
  more: { readonly instead?: string | null } = {},
): Promise<Next> => {
  const { chainId } = refund.context
  const outcome = await unlessLocked(
    actors.dispatch({
      ...{ kind: 'refund', actor: refund.id, event: { type, txHash, ...more }, cause: `chain:${chainId}` },
      id: uuidFrom(['refund noticed', refund.id, refund.rev, txHash, type]),
    }),
  )
  if (type === 'stray_transfer_seen' && outcome?.ok && !outcome.replayed)
    log.warn({ refund: encodeId('re', refund.id), chain: chainId, txHash }, 'unexpected refund transfer found')
  return outcome?.ok ? 'never' : 'again'
}
