import { useState } from 'preact/hooks'
import type { BillingSettings, InvoiceWithLines } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { ApiError } from '../../api/request.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { useRefresh } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useScope, useShop } from '../shell/shop.ts'
import { useBillingSettings } from '../shell/use-billing-settings.ts'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import { FinalizeDialog } from './finalize-dialog.tsx'
import { invoiceDraftOf } from './invoice-draft.ts'
import { useInvoiceTexts } from './invoice-page-texts.ts'

type FinalizeProps = { readonly invoice: InvoiceWithLines; readonly onClose: () => void }

/** Finalizes a draft as it was saved, when the settings are read: they say what becomes final. */
export const FinalizeInvoice = ({ invoice, onClose }: FinalizeProps) => {
  const texts = useInvoiceEditorTexts()
  const result = useBillingSettings()
  if (result.data) return <FinalizeSaved invoice={invoice} settings={result.data} onClose={onClose} />
  return (
    <Dialog
      open
      wide
      title={texts.finalizeTitle}
      onClose={onClose}
      footer={
        <button type="button" class="button" onClick={onClose}>
          {texts.keep}
        </button>
      }
    >
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {() => null}
      </Result>
    </Dialog>
  )
}

/** Repeated after a lost response, it is still done once. */
const FinalizeSaved = ({ invoice, settings, onClose }: FinalizeProps & { readonly settings: BillingSettings }) => {
  const { id, dueDate, totalMinor } = invoice
  const { finalized } = useInvoiceEditorTexts()
  const { draft: texts } = useInvoiceTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [idempotencyKey] = useState(newIdempotencyKey)
  const finalize = async () => {
    const isDone = await action.run(async () => {
      try {
        const { number } = await session.call('finalizeInvoice', { merchantId, id, idempotencyKey })
        showToast(finalized(number ?? id))
      } finally {
        // After a refusal, too: it has changed in the meantime.
        await refresh('invoices')
      }
    })
    if (isDone) onClose()
  }
  return (
    <FinalizeDialog
      draft={invoiceDraftOf(invoice, settings)}
      totalMinor={totalMinor}
      settings={settings}
      action={action}
      explain={error =>
        error instanceof ApiError && error.param === 'dueDate' && dueDate !== null
          ? texts.dueDateWhat(formats.day(dueDate))
          : undefined
      }
      onFinalize={finalize}
      onClose={onClose}
    />
  )
}
