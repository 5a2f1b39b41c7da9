import { useState } from 'preact/hooks'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { FormField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useInvoiceTexts } from './invoice-page-texts.ts'

type VoidProps = { readonly invoice: InvoiceWithLines; readonly onClose: () => void }

/** Voids an invoice of which nothing was received. */
export const VoidDialog = ({ invoice, onClose }: VoidProps) => {
  const { id, totalMinor, currency } = invoice
  const number = invoice.number ?? id
  const { void: texts, back } = useInvoiceTexts()
  const { formats } = useReader()
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
    showToast(texts.done(number))
    onClose()
  }
  return (
    <FormDialog
      open
      danger
      title={texts.title(number)}
      no={back}
      yes={texts.yes}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{texts.what(formats.money(totalMinor, currency))}</p>
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
