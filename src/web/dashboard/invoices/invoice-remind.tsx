import { useState } from 'preact/hooks'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { ApiError } from '../../api/request.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { useCustomer } from '../customers/use-customer.ts'
import { RemindersUnheard, useReminderEndpoints } from '../settings/reminder-endpoints.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useInvoiceTexts } from './invoice-page-texts.ts'

type RemindProps = { readonly invoice: InvoiceWithLines; readonly onClose: () => void }

/** Requests a reminder. The server allows one in an hour, and the dialog says when the next one is possible. */
export const RemindDialog = ({ invoice: { id, customerId }, onClose }: RemindProps) => {
  const { remind: texts, back } = useInvoiceTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const { count: listening } = useReminderEndpoints()
  const customer = useCustomer(customerId).data
  const [idempotencyKey] = useState(newIdempotencyKey)
  /** By the test clock of the customer, if it has one. */
  const waitS =
    action.error instanceof ApiError && action.error.code === 'rate_limited' ? action.error.retryAfterS : undefined
  const submit = async () => {
    const isDone = await action.run(async () => {
      try {
        await session.call('remindCustomer', { merchantId, id, idempotencyKey })
      } finally {
        await refresh('invoices')
      }
    })
    if (!isDone) return
    showToast(listening === undefined ? texts.doneUnknown : listening === 0 ? texts.doneForNone : texts.done(listening))
    onClose()
  }
  return (
    <FormDialog
      open
      title={texts.title}
      no={back}
      yes={texts.yes}
      action={action}
      isAtField={waitS !== undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{texts.what}</p>
      {listening !== undefined && listening > 0 && <p>{texts.listening(listening)}</p>}
      <RemindersUnheard />
      {waitS !== undefined && (
        <NoteBox title={texts.tooSoonTitle} tone="warn" alert>
          {customer?.testClockId == null
            ? texts.tooSoonWhat(formats.time(Date.now() + waitS * 1_000), Math.ceil(waitS / 60))
            : texts.tooSoonByClock(Math.ceil(waitS / 60))}
        </NoteBox>
      )}
    </FormDialog>
  )
}
