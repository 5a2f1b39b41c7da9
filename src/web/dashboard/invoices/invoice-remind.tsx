import { useState } from 'preact/hooks'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { ApiError } from '../../api/request.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useInvoiceTexts } from './invoice-page-texts.ts'

type RemindProps = { readonly invoice: InvoiceWithLines; readonly onClose: () => void }

/** Requests a reminder. The server allows one in an hour, and the dialog says when the next one is possible. */
export const RemindDialog = ({ invoice: { id }, onClose }: RemindProps) => {
  const { remind: texts, back } = useInvoiceTexts()
  const { formats, now } = useReader()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [idempotencyKey] = useState(newIdempotencyKey)
  const [possibleAt, setPossibleAt] = useState<Date>()
  const waitMs = possibleAt ? possibleAt.getTime() - now.value.getTime() : 0
  const submit = async () => {
    const isDone = await action.run(async () => {
      try {
        await session.call('remindCustomer', { merchantId, id, idempotencyKey })
      } catch (error) {
        if (error instanceof ApiError && error.code === 'rate_limited')
          setPossibleAt(new Date(Date.now() + (error.retryAfterS ?? 0) * 1_000))
        throw error
      } finally {
        await refresh('invoices')
      }
    })
    if (!isDone) return
    showToast(texts.done)
    onClose()
  }
  return (
    <FormDialog
      open
      title={texts.title}
      no={back}
      yes={texts.yes}
      action={action}
      isAtField={waitMs > 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{texts.what}</p>
      {possibleAt && waitMs > 0 && (
        <NoteBox title={texts.tooSoonTitle} tone="warn" alert>
          {texts.tooSoonWhat(formats.time(possibleAt), Math.ceil(waitMs / 60_000))}
        </NoteBox>
      )}
    </FormDialog>
  )
}
