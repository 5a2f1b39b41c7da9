import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { BillingSettings, InvoiceWithLines } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { refusedField, shownFailure } from '../shell/failure.ts'
import { focusWrong } from '../shell/focus-wrong.ts'
import { LeaveGuard } from '../shell/leave-guard.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useAddress } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { CustomerChoice } from './customer-choice.tsx'
import { DueFields } from './due-fields.tsx'
import { EditorPanels } from './editor-panels.tsx'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import { FinalizeDialog } from './finalize-dialog.tsx'
import {
  changedFields,
  hasFaults,
  type InvoiceDraft,
  type InvoiceEdits,
  invoiceBodyOf,
  invoiceDraftOf,
  invoiceFaultsIn,
  MOST_BYTES,
  newCustomer,
  newInvoiceDraft,
  sumDraft,
} from './invoice-draft.ts'
import { InvoicePreview } from './invoice-preview.tsx'
import { MoreFields } from './more-fields.tsx'
import { PriceFields } from './price-fields.tsx'
import { ChangedElsewhere, useSaveInvoice } from './use-save-invoice.ts'

type InvoiceEditorProps = {
  readonly settings: BillingSettings
  /** Undefined: a new one. */
  readonly invoice?: InvoiceWithLines
  /** The customer of a new one. */
  readonly customerId?: string | undefined
  /** There is no customer yet that could be chosen. */
  readonly isFirst?: boolean
}

/** The form of a draft, beside its document. */
export const InvoiceEditor = ({ settings, invoice, customerId, isFirst = false }: InvoiceEditorProps) => {
  const texts = useInvoiceEditorTexts()
  const address = useAddress()
  const { route } = useLocation()
  const refresh = useRefresh()
  const action = useAction()
  const form = useRef<HTMLFormElement>(null)
  const [edits, setEdits] = useState<InvoiceEdits>({})
  const [isChecked, setChecked] = useState(false)
  const [isFinalizing, setFinalizing] = useState(false)
  /** The draft that the edits began with. Without edits it follows the server. */
  const [base, setBase] = useState(invoice)
  const [fresh] = useState(() => newInvoiceDraft(settings, isFirst ? newCustomer() : { by: 'search', id: customerId }))
  const saved = useMemo(
    () => (invoice === undefined ? fresh : invoiceDraftOf(invoice, settings)),
    [invoice?.updatedAt, settings],
  )
  const draft: InvoiceDraft = { ...saved, ...edits }
  const changed = changedFields(edits, saved)
  const isChangedElsewhere = invoice !== undefined && base?.updatedAt !== invoice.updatedAt
  const isUntouched = changed.length === 0
  useEffect(() => {
    if (isUntouched) setBase(invoice)
  }, [isUntouched, invoice?.updatedAt])
  const summed = useMemo(() => sumDraft(draft), [draft.lines, draft.taxBehavior])
  const faults = isChecked ? invoiceFaultsIn(draft) : undefined
  const save = useSaveInvoice(settings, base)
  const { error } = action
  const refused = refusedField(error)
  const isErased = error instanceof ApiError && error.code === 'customer_erased'

  const savedLines = useRef(saved.lines)
  savedLines.current = saved.lines
  const resetError = useRef(action.reset)
  resetError.current = action.reset
  const edit = useCallback((more: InvoiceEdits) => {
    setEdits(now => ({ ...now, ...more }))
    resetError.current()
  }, [])
  const onLines = useCallback((update: (lines: InvoiceDraft['lines']) => InvoiceDraft['lines']) => {
    setEdits(now => ({ ...now, lines: update(now.lines ?? savedLines.current) }))
    resetError.current()
  }, [])

  // The first thing that is wrong gets the focus.
  const shownFaults = useRef(0)
  const [attempts, setAttempts] = useState(0)
  useEffect(() => {
    if (attempts === shownFaults.current) return
    shownFaults.current = attempts
    focusWrong(form.current)
  }, [attempts])

  /** Whether it can be sent. */
  const check = (): boolean => {
    setChecked(true)
    if (!hasFaults(invoiceFaultsIn(draft)) && summed.ok && sizeOf(draft) <= MOST_BYTES) return true
    setAttempts(attempts + 1)
    return false
  }
  const send = async (finalize: boolean): Promise<void> => {
    const isDone = await action.run(async () => {
      try {
        const { id, number, status } = await save({ draft, edits, finalize })
        setEdits({})
        showToast(number === null ? texts.saved : texts.finalized(number))
        await refresh('invoices')
        route(address('invoices', id), status !== 'draft')
      } catch (fault) {
        if (fault instanceof ChangedElsewhere) await refresh('invoices', 'one')
        throw fault
      }
    })
    if (isDone) return
    // What the server has refused is at its field, behind the dialog.
    setAttempts(attempts + 1)
  }
  const isAtField = isShownAtField(refused) || isErased || error instanceof ChangedElsewhere
  useEffect(() => {
    if (isFinalizing && isAtField) setFinalizing(false)
  }, [isFinalizing, isAtField])

  const totals = summed.ok ? summed.sums : undefined
  const size = isChecked || draft.lines.length > 50 ? sizeOf(draft) : 0
  return (
    <>
      <LeaveGuard when={changed.length > 0 && !action.isRunning} />
      {isChangedElsewhere && changed.length > 0 && (
        <div class="notice">
          <NoteBox
            tone="warn"
            alert
            title={texts.changedElsewhere}
            actions={
              <>
                <button type="button" class="button" onClick={() => setBase(invoice)}>
                  {texts.keepMine}
                </button>
                <button type="button" class="button" onClick={() => setEdits({})}>
                  {texts.discardMine}
                </button>
              </>
            }
          >
            {texts.changedWhat(changed.map(field => texts.fields[field]).join(', '))}
          </NoteBox>
        </div>
      )}
      <EditorPanels preview={<InvoicePreview draft={draft} settings={settings} />}>
        <form
          ref={form}
          class="form form--wide editor__form"
          noValidate
          onSubmit={event => {
            event.preventDefault()
            if (check()) void send(false)
          }}
        >
          <CustomerChoice
            customer={draft.customer}
            onCustomer={customer => edit({ customer })}
            faults={faults}
            refused={refused}
            isErased={isErased}
          />
          <PriceFields
            draft={draft}
            onEdit={edit}
            onLines={onLines}
            summed={summed}
            settings={settings}
            isChecked={isChecked}
            refused={refused}
          />
          {size > MOST_BYTES && <TooLarge size={size} />}
          <DueFields
            due={draft.due}
            onDue={due => edit({ due })}
            usual={settings.daysUntilDue}
            faults={faults}
            refused={refused}
          />
          <MoreFields draft={draft} onEdit={edit} settings={settings} faults={faults} refused={refused} />
          <FaultCount form={form} attempts={attempts} draft={draft} />
          {error !== undefined && !isAtField && !isFinalizing && <SaveFailure error={error} />}
          <div class="buttons">
            <Submit action={action}>{texts.save}</Submit>
            <button
              type="button"
              class="button"
              aria-disabled={action.isRunning}
              onClick={() => {
                if (!check()) return
                action.reset()
                setFinalizing(true)
              }}
            >
              {texts.finalize}
            </button>
            <a class="button button--bare" href={invoice ? address('invoices', invoice.id) : address('invoices')}>
              {texts.cancel}
            </a>
          </div>
        </form>
      </EditorPanels>
      {isFinalizing && !isAtField && totals && (
        <FinalizeDialog
          draft={draft}
          totalMinor={totals.totalMinor}
          settings={settings}
          action={action}
          explain={fault => (fault instanceof ApiError && fault.status === 0 ? texts.unknownOutcome : undefined)}
          onFinalize={() => send(true)}
          onClose={() => {
            setFinalizing(false)
            action.reset()
          }}
        />
      )}
    </>
  )
}

const sizeOf = (draft: InvoiceDraft): number => new TextEncoder().encode(JSON.stringify(invoiceBodyOf(draft))).length

const fieldsOfForm: readonly string[] = [
  ...['customer', 'customerId', 'currency', 'lines', 'daysUntilDue', 'dueDate', 'reference', 'orderNumber', 'notes'],
  ...['assets', 'metadata'],
]

const isShownAtField = (refused: string | undefined): boolean =>
  refused !== undefined && refused !== 'lines' && fieldsOfForm.includes(refused.split('.')[0] ?? '')

const SaveFailure = ({ error }: { readonly error: unknown }) => {
  const texts = useInvoiceEditorTexts()
  const { code, status } = error instanceof ApiError ? error : { code: '', status: -1 }
  if (code === 'invoice_total_out_of_range')
    return (
      <NoteBox tone="bad" alert title={texts.outOfRange}>
        {texts.outOfRangeWhat}
      </NoteBox>
    )
  return (
    <ErrorNote failure={shownFailure(error)}>
      {status === 0 ? texts.unknownOutcome : code === 'state_conflict' ? texts.noDraftWhat : undefined}
    </ErrorNote>
  )
}

const TooLarge = ({ size }: { readonly size: number }) => {
  const texts = useInvoiceEditorTexts()
  const { formats } = useReader()
  return (
    <NoteBox tone="bad" alert title={texts.tooLarge(formats.count(Math.ceil(size / 1_024)))}>
      {texts.tooLargeWhat}
    </NoteBox>
  )
}

type FaultCountProps = {
  readonly form: { readonly current: HTMLFormElement | null }
  readonly attempts: number
  readonly draft: InvoiceDraft
}

/** Beside the buttons, because what is wrong may be far above. */
const FaultCount = ({ form, attempts, draft }: FaultCountProps) => {
  const texts = useInvoiceEditorTexts()
  const [count, setCount] = useState(0)
  // After every change: what was corrected counts no longer.
  useEffect(() => {
    if (attempts > 0) setCount(form.current?.querySelectorAll('[aria-invalid="true"]').length ?? 0)
  }, [attempts, draft])
  return (
    <p class="field" role="status">
      {count > 0 && <span class="error">{texts.faultCount(count)}</span>}
    </p>
  )
}
