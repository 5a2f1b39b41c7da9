import { useMemo, useState } from 'preact/hooks'
import type { Calls, CreditNoteWithLines, InvoiceWithLines } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { ApiError } from '../../api/request.ts'
import { FormField } from '../../parts/field.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { useCreditNotesTexts } from '../billing-records/credit-notes-texts.ts'
import { parseAmount, plainAmount } from '../links/amount.ts'
import { isAddressLike } from '../settings/checked-address.ts'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { useScope, useShop } from '../shell/shop.ts'
import { type CreditedLineDraft, readCreditedLines, restsOf, spreadRest } from './credit-note-draft.ts'
import { CreditedLines } from './credit-note-lines.tsx'
import { type RefundDraft, RefundFields, useReturnable } from './credit-note-refunds.tsx'
import { SumRows, useTaxRows } from './sum-rows.tsx'

type DialogProps = {
  readonly invoice: InvoiceWithLines
  /** Those that were issued before. */
  readonly issued: readonly CreditNoteWithLines[]
  readonly onClose: () => void
}

type Reason = CreditNoteWithLines['reason']

const scopes = ['whole', 'lines'] as const
const ways = ['credit', 'refund'] as const

/**
 * Issues a credit note, with its sums while they are typed: by the functions of the server. What was paid becomes credit or
 * refunds, and the credit is what the refunds leave, so the note is always settled.
 */
export const CreditNoteDialog = ({ invoice, issued, onClose }: DialogProps) => {
  const texts = useCreditNotesTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const { merchantId, livemode } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const taxRows = useTaxRows()
  const found = useReturnable(invoice)
  const returnable = found ?? []
  const [scope, setScope] = useState<(typeof scopes)[number]>()
  const [lines, setLines] = useState<Readonly<Record<string, CreditedLineDraft>>>({})
  const [way, setWay] = useState<(typeof ways)[number]>('credit')
  const [refunds, setRefunds] = useState<Readonly<Record<string, RefundDraft>>>({})
  const [reason, setReason] = useState<Reason>('requested_by_customer')
  const [note, setNote] = useState('')
  const [isChecked, setChecked] = useState(false)
  const [hasChanged, setChanged] = useState(false)
  const money = (minor: number) => formats.money(minor, invoice.currency)
  const { request, faults, summed } = readCreditedLines(invoice, issued, scope === 'whole' ? 'whole' : lines)
  const sums = scope !== undefined && summed?.ok ? summed.sums : undefined
  const dueReducedMinor = sums ? Math.min(sums.totalMinor, invoice.amountDueMinor) : 0
  const restMinor = sums ? sums.totalMinor - dueReducedMinor : 0
  const isRefunding = way === 'refund' && restMinor > 0 && returnable.length > 0
  /** Credit is not given instead, as long as a refund is chosen. */
  const isRefundImpossible = way === 'refund' && restMinor > 0 && returnable.length === 0
  const spread = spreadRest(
    restMinor,
    returnable.map(({ mostMinor }) => mostMinor),
  )
  /** What was typed for each payment, or else its part of the rest. */
  const given = returnable.map((each, n) => {
    const proposed = spread[n] ?? 0
    const draft = refunds[each.payment.id]
    const text = draft?.text ?? (proposed > 0 ? plainAmount(proposed) : '')
    const amountMinor = text.trim() === '' ? 0 : parseAmount(text)
    return { ...each, text, amountMinor, address: draft?.address ?? '' }
  })
  const refundedMinor = isRefunding ? given.reduce((sum, { amountMinor = 0 }) => sum + amountMinor, 0) : 0
  const wanted = isRefunding
    ? given.flatMap(({ payment, amountMinor = 0, address }) =>
        amountMinor === 0
          ? []
          : [
              {
                ...{ paymentId: payment.id, amountMinor },
                ...(address.trim() !== '' && { destination: address.trim() }),
              },
            ],
      )
    : []
  const isRefundWrong =
    isRefunding &&
    (refundedMinor > restMinor ||
      given.some(
        ({ amountMinor, mostMinor, address }) =>
          amountMinor === undefined || amountMinor > mostMinor || (address.trim() !== '' && !isAddressLike(address)),
      ))
  const said = note.trim()
  const body = {
    ...{ invoiceId: invoice.id, reason, ...request, creditMinor: restMinor - refundedMinor },
    ...(wanted.length > 0 && { refunds: wanted }),
    ...(said !== '' && { note: said }),
  } as unknown as Calls['createCreditNote']['input']
  // A repeated request issues no second note; another content is another request.
  const idempotencyKey = useMemo(newIdempotencyKey, [JSON.stringify(body)])
  const refused = action.error instanceof ApiError ? action.error : undefined
  const refusedRefund = /^refunds\.(\d+)/.exec(refused?.param ?? '')?.[1]
  const refusedPayment = refusedRefund === undefined ? undefined : wanted[Number(refusedRefund)]?.paymentId
  const isNotSettled = refused?.code === 'credit_note_not_settled'

  const submit = async () => {
    setChecked(true)
    setChanged(false)
    if (scope === undefined || !sums || isRefundWrong || isRefundImpossible) return
    const isDone = await action.run(async () => {
      try {
        const issuedNote = await session.call('createCreditNote', { ...body, merchantId, livemode, idempotencyKey })
        showToast(texts.done(issuedNote.number))
      } catch (error) {
        setChanged(error instanceof ApiError && error.code === 'credit_note_not_settled')
        throw error
      } finally {
        await refresh('invoices')
        for (const section of ['credit-notes', 'refunds', 'payments', 'customers']) void refresh(section)
      }
    })
    if (isDone) onClose()
  }
  const linesError = () => {
    if (scope !== undefined && summed && !summed.ok) {
      if (Object.keys(faults).length > 0) return undefined
      const isEmpty = 'lines' in request && request.lines.length === 0
      if (isEmpty) return isChecked ? texts.empty : undefined
      return scope === 'whole' ? texts.nothingLeft : texts.exceedsAll
    }
    return undefined
  }
  const error = linesError()
  return (
    <FormDialog
      open
      wide
      title={texts.dialogTitle}
      no={texts.back}
      yes={sums ? texts.submit(money(sums.totalMinor)) : texts.submitEmpty}
      action={action}
      isAtField={isNotSettled || refusedPayment !== undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <p class="quiet">{texts.what}</p>
      <RadioChoice
        legend={texts.scope}
        name="scope"
        values={scopes}
        words={texts.scopes}
        about={{
          whole: texts.wholeWhat(money(invoice.totalMinor - issued.reduce((sum, each) => sum + each.totalMinor, 0))),
          lines: texts.linesWhat,
        }}
        value={scope}
        onValue={setScope}
        error={isChecked && scope === undefined ? texts.scopeEmpty : undefined}
      />
      {scope === 'lines' && (
        <CreditedLines
          invoice={invoice}
          rests={restsOf(invoice, issued)}
          drafts={lines}
          faults={faults}
          onDrafts={setLines}
        />
      )}
      {error !== undefined && <NoteBox title={error} tone="bad" alert />}
      {sums && (
        <SumRows
          currency={invoice.currency}
          rows={[
            ...taxRows(sums),
            ...(dueReducedMinor > 0 ? ([[texts.lowers, dueReducedMinor]] as const) : []),
            ...(restMinor > 0 ? ([[texts.rest, restMinor]] as const) : []),
            ...(isRefunding ? ([[texts.toRefunds, refundedMinor]] as const) : []),
            ...(restMinor > 0 ? ([[texts.toCredit, Math.max(0, restMinor - refundedMinor), 'strong']] as const) : []),
          ]}
        />
      )}
      {hasChanged && <NoteBox title={texts.changed} tone="warn" alert />}
      {restMinor > 0 && (
        <>
          <RadioChoice
            legend={texts.settlement}
            name="way"
            values={ways}
            words={texts.ways}
            about={texts.waysWhat}
            value={way}
            onValue={setWay}
          />
          {isRefundImpossible && found && <NoteBox title={texts.noPayments} tone="warn" alert />}
          {isRefunding && (
            <RefundFields
              rows={given}
              drafts={refunds}
              onDrafts={setRefunds}
              isChecked={isChecked}
              refused={refusedPayment === undefined ? undefined : { paymentId: refusedPayment, error: refused }}
              restMinor={restMinor}
            />
          )}
        </>
      )}
      <FormField label={texts.reason}>
        {props => (
          <select
            class="input"
            {...props}
            value={reason}
            onChange={event => setReason(event.currentTarget.value as Reason)}
          >
            {Object.entries(texts.reasons).map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        )}
      </FormField>
      <FormField label={texts.note} hint={texts.noteHint} optional>
        {props => (
          <textarea
            class="input"
            rows={2}
            maxLength={2_000}
            {...props}
            value={note}
            onInput={event => setNote(event.currentTarget.value)}
          />
        )}
      </FormField>
    </FormDialog>
  )
}
