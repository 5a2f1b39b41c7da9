import { useEffect, useState } from 'preact/hooks'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { ApiError } from '../../api/request.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh, useShopQuery } from '../shell/queries.ts'
import { useAddress, useScope, useShop } from '../shell/shop.ts'
import { useInvoiceTexts } from './invoice-page-texts.ts'

type RemindProps = { readonly invoice: InvoiceWithLines; readonly onClose: () => void }

const MOST = 100

/** How many endpoints receive the event now. Undefined until they are read, and if there are more than one page of them. */
const useListening = (): number | undefined => {
  const { data, refetch } = useShopQuery(['webhooks', 'reminder'], ({ call, ...scope }, signal) =>
    call('listWebhookEndpoints', { ...scope, limit: MOST }, { signal }),
  ).value
  useEffect(() => {
    // Endpoints may have changed since the dialog was open before.
    void refetch({ cancelRefetch: false })
  }, [])
  if (!data || data.has_more) return undefined
  return data.data.filter(({ status, eventTypes }) => status === 'enabled' && eventTypes.includes('invoice.reminder'))
    .length
}

/** Requests a reminder. The server allows one in an hour, and the dialog says when the next one is possible. */
export const RemindDialog = ({ invoice: { id }, onClose }: RemindProps) => {
  const { remind: texts, back } = useInvoiceTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const address = useAddress()
  const listening = useListening()
  const [idempotencyKey] = useState(newIdempotencyKey)
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
      {listening === 0 && (
        <NoteBox
          title={texts.notListening}
          tone="warn"
          actions={
            <a class="button button--small" href={address('webhooks')}>
              {texts.openWebhooks}
            </a>
          }
        >
          {texts.notListeningWhat}
        </NoteBox>
      )}
      {waitS !== undefined && (
        <NoteBox title={texts.tooSoonTitle} tone="warn" alert>
          {texts.tooSoonWhat(formats.time(Date.now() + waitS * 1_000), Math.ceil(waitS / 60))}
        </NoteBox>
      )}
    </FormDialog>
  )
}
