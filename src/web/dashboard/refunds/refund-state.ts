import type { RefundWithAttention } from '../../api/calls.ts'
import type { StatePath } from '../../parts/state-strip.tsx'
import { findChain, networkNameOf } from '../shell/chains.ts'
import type { RefundTexts } from './texts.ts'

/** How far a refund got on its main path. */
export const refundPath = (refund: RefundWithAttention, { states }: RefundTexts, canWrite: boolean): StatePath => {
  const { status, destination, attention } = refund
  const words = [states.address, states.sign, states.confirming, states.refunded]
  const warning = { words, shape: 'warn', tone: 'warn' } as const
  switch (status) {
    case 'requires_destination':
      return attention ? { ...warning, at: 0, word: states.linkExpired } : { words, at: 0 }
    case 'requires_signature':
      if (attention) return { ...warning, at: 1, word: states.notSigned }
      // Viewers are not shown who signs it.
      if (!canWrite || isManual(refund)) return { words, at: 1, tone: 'warn' }
      return { words, at: 1, tone: 'info', word: states.signer }
    case 'processing':
      return attention ? { ...warning, at: 2, word: states.unclear } : { words, at: 2, tone: 'info' }
    case 'processed':
      return attention ? { ...warning, at: 3, word: states.check } : { words, at: 3, shape: 'done', tone: 'good' }
    case 'failed':
      return { words, at: 2, word: states.failed, shape: 'bad', tone: 'bad' }
    default: {
      const at = destination === null ? 0 : 1
      return attention
        ? { ...warning, at, word: states.check }
        : { words, at, word: states.canceled, shape: 'off', tone: 'quiet' }
    }
  }
}

/** Whether a member signs it. Viewers are never shown the transaction. */
export const isManual = ({ unsignedTransaction }: RefundWithAttention): boolean => unsignedTransaction !== null

export const isRefundOver = ({ status, attention }: RefundWithAttention): boolean => status === 'canceled' && !attention

/** What is worth knowing beside the state, in a few words. */
export const refundRemark = (
  { status, failureReason, crypto }: RefundWithAttention,
  { confirmations, failures }: RefundTexts,
): string | undefined => {
  if (status === 'failed' && failureReason) return failures[failureReason].short
  const needed = findChain(crypto.chainId)?.confirmations
  return status === 'processing' && needed !== undefined
    ? confirmations(Math.min(crypto.confirmations, needed), needed)
    : undefined
}

export const networkOf = ({ crypto: { chainId } }: RefundWithAttention): string => networkNameOf(chainId)
