import { useState } from 'preact/hooks'
import type { PaymentWithCrypto } from '../../api/calls.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { RefundPayment } from '../refunds/payment-refunds.tsx'
import { Confirm } from '../shell/confirm.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { usePaymentTexts } from './texts.ts'

type PaymentProps = { readonly payment: PaymentWithCrypto }

/** What can be done with a payment in its state. Absent for viewers. */
export const PaymentActions = ({ payment }: PaymentProps) => {
  const texts = usePaymentTexts()
  const canWrite = useCanWrite()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const [isOpen, setOpen] = useState(false)
  const { id, status, crypto } = payment
  const hasMoney = crypto !== null && crypto.amountReceived !== '0'
  const canCancel = canWrite && status === 'pending' && !hasMoney
  // An open dialog stays when the payment is paid in the meantime: it says why nothing was canceled.
  if (!canCancel && !isOpen) return null
  return (
    <>
      {canCancel && (
        <button type="button" class="button button--danger" onClick={() => setOpen(true)}>
          {texts.cancel}
        </button>
      )}
      <Confirm
        open={isOpen}
        title={texts.cancelTitle}
        no={texts.keep}
        yes={texts.cancel}
        danger
        onClose={() => setOpen(false)}
        onYes={async () => {
          try {
            await session.call('cancelPayment', { merchantId, id })
            showToast(texts.canceled)
          } finally {
            // After a refusal, too: it was paid in the meantime.
            await refresh('payments')
          }
        }}
      >
        {texts.cancelWhat}
      </Confirm>
    </>
  )
}

/** Money arrived that the service does not accept by itself: a person decides. */
export const Decision = ({ payment }: PaymentProps) => {
  const texts = usePaymentTexts()
  const { formats } = useReader()
  const canWrite = useCanWrite()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const [asked, setAsked] = useState<'accept' | 'dismiss'>()
  const { id, crypto, amountMinor, currency, status } = payment
  const situation = situationOf(payment)
  if (situation === undefined || crypto === null) return null
  const { asset, decimals } = crypto
  const received = asset === null || decimals === null ? '' : formats.units(crypto.amountReceived, { asset, decimals })
  const titles = {
    late: [texts.lateTitle(received), texts.lateWhat],
    overpaid: [texts.overpaidTitle, texts.overpaidWhat],
    underpaid: [texts.underpaidTitle, texts.underpaidWhat],
    stray: [texts.strayTitle, texts.strayWhat],
  } as const
  const [title, what] = titles[situation]
  const resolve = async (action: 'accept' | 'dismiss') => {
    try {
      await session.call('resolvePayment', { merchantId, id, action })
      showToast(action === 'accept' ? texts.accepted : texts.dismissed)
    } finally {
      await refresh('payments')
    }
  }
  const close = () => setAsked(undefined)
  return (
    <div class="decision">
      <NoteBox
        title={title}
        tone="warn"
        actions={
          canWrite && [
            status !== 'success' && (
              <button key="accept" type="button" class="button button--primary" onClick={() => setAsked('accept')}>
                {texts.accept}
              </button>
            ),
            <button key="dismiss" type="button" class="button" onClick={() => setAsked('dismiss')}>
              {texts.dismiss}
            </button>,
            <RefundPayment key="refund" payment={payment} />,
          ]
        }
      >
        {what}
      </NoteBox>
      <Confirm
        open={asked === 'accept'}
        title={texts.acceptTitle}
        no={texts.back}
        yes={texts.accept}
        onClose={close}
        onYes={() => resolve('accept')}
      >
        {texts.acceptWhat(received, formats.money(amountMinor, currency))}
      </Confirm>
      <Confirm
        open={asked === 'dismiss'}
        title={texts.dismissTitle}
        no={texts.back}
        yes={texts.dismiss}
        onClose={close}
        onYes={() => resolve('dismiss')}
      >
        {texts.dismissWhat}
      </Confirm>
    </div>
  )
}

/** Why a person must decide about money that has arrived. */
const situationOf = ({ status, crypto, attention }: PaymentWithCrypto) => {
  if (!attention) return undefined
  const exception = crypto?.exception ?? null
  if (exception === 'late') return 'late'
  if (exception === 'wrong_asset' || exception === 'wrong_chain') return 'stray'
  return status === 'success' ? 'overpaid' : 'underpaid'
}
