import type { Refund } from '../../../machines/refund.ts'
import { unlessLocked } from '../../actors/command.ts'
import type { Actor } from '../../actors/kind.ts'
import type { Services } from '../../actors/services.ts'
import { encodeId, uuidFrom } from '../../ids.ts'
import { claimNoticed, deleteNoticed, type Noticed } from '../../queries/noticed-transfers.ts'
import { isRefund, type Reach } from '../../queries/refund-transactions.ts'
import { unlessUnanswered } from '../watch/chain-loops.ts'
import type { Mined, TransactionSource } from '../watch/transactions.ts'
import { refundNamedIn } from './transfer.ts'
import { failureOf } from './verdict.ts'

export type RefundChain = {
  readonly id: number
  readonly pollMs: number
  readonly transactions: TransactionSource
}
/** Transfers checked together. */
const MAX_PER_TURN = 20

/**
 * Checks before a transfer is dropped. `again`: about a day, after which a transaction that a reorg removed is back or
 * never will be. `later`: 30 days for a transaction that is on the chain, until it is known which transactions pay its
 * refund and similar ones.
 */
const MAX_CHECKS = { again: 296, later: 30 * 296 }

/**
 * Assigns transfers found on the chain to refunds: by the refund id in their data, or, without an id, by a sender
 * address of the merchant if no other waiting refund matches as well. Nothing is guessed. A transfer needs a person's
 * attention if it names a refund that is over or is paid by another transaction, if it comes from the merchant and
 * belongs to no other refund, or if it is the refund's own transaction that was considered dropped and was mined after
 * all.
 */
export const assignNoticed = async (world: Services, chain: RefundChain, own: Own): Promise<number> => {
  const found = await claimNoticed(world.sql, chain.id, MAX_PER_TURN)
  await Promise.all(
    found.map(each =>
      unlessUnanswered(
        assign(world, { ...chain, ...own }, each).then(async next => {
          if (next === 'never' || each.looks > MAX_CHECKS[next]) await deleteNoticed(world.sql, each)
        }),
      ),
    ),
  )
  return found.length
}

type Own = Pick<Reach, 'final'> & { readonly signal: AbortSignal }

/** When to check the transfer again. `later`: once it is known which transactions pay the other refunds. */
type Next = 'never' | 'again' | 'later'

const assign = async (
  world: Services,
  { transactions, final, signal }: RefundChain & Own,
  noticed: Noticed,
): Promise<Next> => {
  const { refund, txHash } = noticed
  const { context, state } = refund
  const isDropped = state === 'failed' && context.failureReason === 'dropped'
  if (context.txHash === txHash && !isDropped) return 'never'
  const number = await transactions.blockNumberOf(txHash, signal)
  const mined = typeof number === 'number' && (await transactions.mined(txHash, number, final, signal))
  if (!mined) return 'again'
  const named = refundNamedIn(mined.input)
  const isNamed = named === refund.id || noticed.isReported
  const namesAnother = noticed.isOfAnother || (!isNamed && named !== undefined && (await isRefund(world.sql, named)))
  if (failureOf(mined, noticed, { namesAnother }) !== null) return 'never'
  if (!isNamed && !(noticed.isMerchants && isAgreedFrom(mined, noticed))) return 'never'

  switch (state) {
    case 'requires_signature':
      return isNamed || noticed.isOnlyFit ? report(world, noticed, 'transaction_sent') : 'never'
    case 'processing':
      // A transaction of a refund signer may still be mined at any time.
      if (!isNamed || noticed.isSigned || !(await isReplaced(refund, transactions, final, signal))) return 'later'
      return report(world, noticed, 'transaction_replaced', { instead: context.txHash })
    default:
      if (mined.blockNumber > final.number) return 'again'
      return isNamed || !mayBeOfOther(mined, noticed) ? report(world, noticed, 'stray_transfer_seen') : 'later'
  }
}

/**
 * Another refund of the same amount to the same destination still waits for its money, and was requested before this
 * block.
 */
const mayBeOfOther = ({ blockNumber }: Mined, { othersFrom }: Noticed): boolean =>
  othersFrom !== null && blockNumber > othersFrom

/** Which merchant sent it was decided by the sender that one node reported. Here two nodes must agree on the sender. */
const isAgreedFrom = (mined: Mined, { refund: { context }, from }: Noticed): boolean => {
  const [token, destination] = [context.tokenAddress?.toLowerCase(), context.destination?.toLowerCase()]
  if (token === undefined) return mined.from === from
  return mined.transfers.some(
    moved =>
      moved.from === from && moved.token === token && moved.to === destination && moved.amount === context.amount,
  )
}

/**
 * The named transaction is unknown to two nodes: wallets replace a transaction that stays pending, and the chain has
 * mined its replacement.
 */
const isReplaced = async (
  { context }: Actor<Refund>,
  transactions: RefundChain['transactions'],
  final: Reach['final'],
  signal: AbortSignal,
): Promise<boolean> => context.txHash !== null && (await transactions.isUnknown(context.txHash, final, signal)) === true

/**
 * Refused where another worker was faster, or where the transaction pays another refund. The transfer is then checked
 * again.
 */
const report = async (
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
