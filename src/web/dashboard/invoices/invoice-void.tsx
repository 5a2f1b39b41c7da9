import { useState } from 'preact/hooks'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { FormField } from '../../parts/field.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useInvoiceTexts } from './invoice-page-texts.ts'

type VoidProps = { readonly invoice: InvoiceWithLines; readonly onClose: () => void }

/** Voids an invoice of which nothing was received. */
export const VoidDialog = ({ invoice: { id }, onClose }: VoidProps) => {
  const { void: texts, back } = useInvoiceTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [reason, setReason] = useState('')
  const [idempotencyKey, setKey] = useState(newIdempotencyKey)
  const submit = async () => {
    const isDone = await action.run(async () => {
      try {
        const said = reason.trim()
        await session.call('voidInvoice', { merchantId, id, idempotencyKey, ...(said !== '' && { reason: said }) })
      } finally {
        await refresh('invoices')
        void refresh('credit-notes')
      }
    })
    if (!isDone) return
    showToast(texts.done)
    onClose()
  }
  return (
    <FormDialog
      open
      danger
      title={texts.title}
      no={back}
      yes={texts.yes}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{texts.what}</p>
      <FormField label={texts.reason} hint={texts.reasonHint} optional>
        {props => (
          <textarea
            class="input"
            rows={2}
            maxLength={1_000}
            {...props}
            value={reason}
            onInput={event => {
              setReason(event.currentTarget.value)
              // Another reason is another request.
              setKey(newIdempotencyKey())
            }}
          />
        )}
      </FormField>
    </FormDialog>
  )
}
