import { useState } from 'preact/hooks'
import type { RefundWithAttention } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { explorerLink, findChain, findUnit } from '../shell/chains.ts'
import { Confirm } from '../shell/confirm.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { readNote } from './notes.ts'
import { usePaymentOf } from './refund-note.ts'
import { networkOf } from './refund-state.ts'
import { forgetTrouble, isAsking } from './signing.ts'
import { type RefundTexts, useRefundTexts } from './texts.ts'

type RefundProps = { readonly refund: RefundWithAttention }

type Decision = {
  readonly key: string
  readonly label: string
  readonly title: string
  readonly what: string
  readonly yes: string
  readonly danger?: boolean
  readonly request: 'accept' | 'fail' | 'dismiss' | 'retry' | 'cancel'
  readonly done: string
  /** What a refusal by the state of the refund means. */
  readonly refused?: string
}

/** Buttons for decisions, each with a dialog that says what follows from it. */
export const Decisions = ({ refund, decisions }: RefundProps & { readonly decisions: readonly Decision[] }) => {
  const texts = useRefundTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const [asked, setAsked] = useState<Decision>()
  const { id } = refund
  const send = (request: Decision['request']) => {
    if (request === 'retry') return session.call('retryRefund', { merchantId, id })
    if (request === 'cancel') return session.call('cancelRefund', { merchantId, id })
    return session.call('resolveRefund', { merchantId, id, action: request })
  }
  return (
    <>
      {decisions.map(decision => (
        <button
          key={decision.key}
          type="button"
          class={decision.danger ? 'button button--danger' : 'button'}
          onClick={() => setAsked(decision)}
        >
          {decision.label}
        </button>
      ))}
      <Confirm
        open={asked !== undefined}
        title={asked?.title ?? ''}
        no={asked?.request === 'cancel' ? texts.keep : texts.resolve.back}
        yes={asked?.yes ?? ''}
        danger={asked?.danger ?? false}
        explain={error => explain(error, asked, texts)}
        onClose={() => setAsked(undefined)}
        onYes={async () => {
          if (!asked) return
          try {
            await send(asked.request)
            forgetTrouble(id)
            showToast(asked.done)
          } finally {
            await refresh('refunds')
            // The amount may have become credit.
            void refresh('customers')
          }
        }}
      >
        {asked?.what}
      </Confirm>
    </>
  )
}

const explain = (error: unknown, asked: Decision | undefined, { resolve }: RefundTexts): string | undefined => {
  if (!(error instanceof ApiError)) return undefined
  if (error.code === 'refund_exceeds_remaining') return resolve.tooLate
  if (error.code === 'credit_exceeds_balance')
    return asked?.request === 'cancel' ? resolve.creditTooLarge : resolve.creditSpent
  return error.status === 409 ? asked?.refused : undefined
}

/** What a member can do in every state that allows it. */
export const CancelRefund = ({ refund }: RefundProps) => {
  const texts = useRefundTexts()
  const canWrite = useCanWrite()
  const { formats } = useReader()
  const payment = usePaymentOf(refund)
  const { id, status, creditNoteId, amountMinor, currency } = refund
  if (!canWrite || (status !== 'requires_destination' && status !== 'requires_signature')) return null
  const isWithWallet = isAsking(id) || readNote(id) !== undefined
  const what =
    creditNoteId === null
      ? texts.cancelWhat
      : texts.cancelToCredit(formats.money(amountMinor, currency), payment?.customerName ?? payment?.customerEmail)
  const decision: Decision = {
    ...{ key: 'cancel', label: texts.cancel, title: texts.cancelTitle, yes: texts.cancel, danger: true },
    ...{ request: 'cancel', done: creditNoteId === null ? texts.canceled : texts.canceledToCredit },
    what: isWithWallet ? `${texts.cancelOpenWallet} ${what}` : what,
  }
  return <Decisions refund={refund} decisions={[decision]} />
}

/** Signs a failed refund again. */
export const RetryRefund = ({ refund }: RefundProps) => {
  const texts = useRefundTexts()
  const decision: Decision = {
    ...{ key: 'retry', label: texts.retry, title: texts.retryTitle, yes: texts.retry, request: 'retry' },
    what: movedNothing(refund) ? texts.retryConfirm : `${texts.failedCheck} ${texts.retryConfirm}`,
    done: texts.retryDone,
  }
  return <Decisions refund={refund} decisions={[decision]} />
}

/** Whether its failed transaction has certainly moved no money. */
export const movedNothing = ({ failureReason }: RefundWithAttention): boolean =>
  failureReason === 'reverted' || failureReason === 'dropped'

/** Why the refund needs attention, and what a member can do about it. */
export const Attention = ({ refund }: RefundProps) => {
  const texts = useRefundTexts()
  const { formats } = useReader()
  const canWrite = useCanWrite()
  const { crypto, destination } = refund
  const unit = findUnit(crypto)
  const amount = unit ? formats.units(crypto.amount, unit) : texts.units(crypto.amount, crypto.asset)
  const { what, isMoney, decisions } = situationOf(refund, texts, amount)
  const links = [
    [crypto.txHash && explorerLink(crypto.chainId, 'tx', crypto.txHash), texts.showTransaction],
    [destination && explorerLink(crypto.chainId, 'address', destination), texts.showDestination],
  ] as const
  return (
    <NoteBox
      title={texts.attentionTitle}
      tone="warn"
      actions={
        isMoney && (
          <>
            {canWrite && <Decisions refund={refund} decisions={decisions} />}
            {links.map(
              ([href, label]) =>
                href && (
                  <a key={label} class="button" href={href} target="_blank" rel="noreferrer">
                    {label}
                  </a>
                ),
            )}
          </>
        )
      }
    >
      {what}
    </NoteBox>
  )
}

type Situation = { readonly what: string; readonly isMoney?: true; readonly decisions: readonly Decision[] }

const situationOf = (refund: RefundWithAttention, texts: RefundTexts, amount: string): Situation => {
  const { attention } = texts
  const { accept, fail, neverSent, dismiss } = decisionsOf(refund, texts, amount)
  const explanation = (what: string): Situation => ({ what, decisions: [] })
  if (!findChain(refund.crypto.chainId)) return explanation(attention.chainOff(networkOf(refund)))
  switch (refund.status) {
    case 'requires_destination':
      return explanation(attention.linkExpired)
    case 'requires_signature':
      return explanation(attention.notSigned)
    case 'processing':
      return { what: attention.unclear, isMoney: true, decisions: [accept, fail, neverSent] }
    default:
      return {
        what: refund.failureReason === 'unproven' ? attention.unproven : attention.moved,
        isMoney: true,
        decisions: [...(refund.status === 'failed' ? [accept] : []), dismiss],
      }
  }
}

const decisionsOf = (refund: RefundWithAttention, { resolve, markChecked }: RefundTexts, amount: string) =>
  ({
    accept: {
      ...{ key: 'accept', label: resolve.accept, title: resolve.acceptTitle, what: resolve.acceptWhat(amount) },
      ...{ yes: resolve.acceptYes, request: 'accept', done: resolve.done },
      refused: refund.status === 'failed' ? resolve.acceptRefused : resolve.findsOut,
    },
    fail: {
      ...{ key: 'fail', label: resolve.fail, title: resolve.failTitle, what: resolve.failWhat, danger: true },
      ...{ yes: resolve.failYes, request: 'fail', done: resolve.done, refused: resolve.findsOut },
    },
    neverSent: {
      ...{ key: 'never-sent', label: resolve.neverSent, title: resolve.neverSentTitle, what: resolve.neverSentWhat },
      ...{ yes: resolve.neverSentYes, danger: true, request: 'retry', done: resolve.done },
      refused: resolve.neverSentRefused,
    },
    dismiss: {
      ...{ key: 'dismiss', label: markChecked, title: resolve.dismissTitle, what: resolve.dismissWhat },
      ...{ yes: markChecked, request: 'dismiss', done: resolve.done, refused: resolve.dismissRefused },
    },
  }) as const satisfies Readonly<Record<string, Decision>>
