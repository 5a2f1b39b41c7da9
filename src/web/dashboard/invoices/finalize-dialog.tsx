import { dayIn } from '../../../billing/days.ts'
import { parseNumberPattern, renderNumber } from '../../../billing/document-number.ts'
import { dateInvoice } from '../../../billing/invoice-dates.ts'
import type { BillingSettings } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { nameOfCustomer } from '../customers/customer-name.ts'
import { useCustomer } from '../customers/use-customer.ts'
import { RemindersUnheard } from '../settings/reminder-endpoints.tsx'
import { useSettingsTexts } from '../settings/texts.ts'
import type { Action } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Facts } from '../shell/record.tsx'
import { useAddress, useIsOwner } from '../shell/shop.ts'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import type { InvoiceDraft } from './invoice-draft.ts'
import { missingSeller, type SellerField } from './missing-seller.ts'

type FinalizeDialogProps = {
  readonly draft: InvoiceDraft
  readonly totalMinor: number
  readonly settings: BillingSettings
  readonly action: Action
  /** What a failure means here, in addition to the sentence of its code. */
  readonly explain: (error: unknown) => string | undefined
  readonly onFinalize: () => Promise<void>
  readonly onClose: () => void
}

/** Says what becomes final, and what is missing, before a draft gets its number. */
export const FinalizeDialog = (props: FinalizeDialogProps) => {
  const { draft, totalMinor, settings, action, explain, onFinalize, onClose } = props
  const texts = useInvoiceEditorTexts()
  const { formats } = useReader()
  const total = formats.money(totalMinor, draft.currency)
  const missing = missingIn(settings, action.error)
  const hasReminders = totalMinor > 0 && (draft.reminders ?? settings.reminders).length > 0
  return (
    <FormDialog
      open
      wide
      title={texts.finalizeTitle}
      no={texts.keep}
      yes={texts.finalizeYes(total)}
      action={action}
      isAtField={missing.length > 0}
      explain={explain}
      onSubmit={onFinalize}
      onClose={onClose}
    >
      {missing.length > 0 && <Incomplete missing={missing} />}
      <p>{texts.finalizeWhat}</p>
      <Facts
        facts={[
          [texts.finalNumber, <NumberFact settings={settings} />],
          [texts.finalCustomer, <CustomerFact draft={draft} />],
          [texts.finalLines, texts.finalLinesWhat(draft.lines.length, total)],
          ...useDateFacts(draft, settings, totalMinor),
          [texts.finalCredit, <CreditFact draft={draft} totalMinor={totalMinor} />],
        ]}
      />
      {hasReminders && <RemindersUnheard />}
    </FormDialog>
  )
}

/** What live invoices need, by the settings as they were read, or by the refusal of the server. */
const missingIn = (settings: BillingSettings, error: unknown): readonly SellerField[] => {
  const missing = settings.livemode ? missingSeller(settings) : []
  const refused = error instanceof ApiError && error.code === 'invoice_incomplete' ? error.details.missing : []
  const all: readonly SellerField[] = ['legalName', 'address']
  return all.filter(field => missing.includes(field) || (Array.isArray(refused) && refused.includes(field)))
}

const Incomplete = ({ missing }: { readonly missing: readonly SellerField[] }) => {
  const texts = useInvoiceEditorTexts()
  const address = useAddress()
  const isOwner = useIsOwner()
  return (
    <NoteBox
      tone="warn"
      alert
      title={texts.incomplete}
      actions={
        <a class="button" href={`${address('settings')}?part=billing`}>
          {texts.openSettings}
        </a>
      }
    >
      {texts.incompleteWhat(missing.map(field => texts.missing[field]).join(', '))} {!isOwner && texts.askOwner}
    </NoteBox>
  )
}

const NumberFact = ({ settings }: { readonly settings: BillingSettings }) => {
  const texts = useInvoiceEditorTexts()
  const { now } = useReader()
  const { numberPattern, restart, invoicePrefix: prefix, nextNumber, livemode, timeZone } = settings
  const parsed = parseNumberPattern(numberPattern, restart)
  if (!parsed.ok) return null
  const issueDate = dayIn(timeZone, now.value)
  const number = renderNumber({
    ...{ pattern: parsed.pattern, prefix, issueDate, number: nextNumber, livemode, testClockId: null },
  })
  return (
    <>
      {texts.finalNumberIs(number)}
      {!livemode && <span class="under">{texts.finalTest}</span>}
    </>
  )
}

const CustomerFact = ({ draft: { customer } }: Pick<FinalizeDialogProps, 'draft'>) => {
  const texts = useInvoiceEditorTexts()
  return (
    <>
      {customer.by === 'email' ? customer.email.trim() : customer.id !== undefined && <CustomerName id={customer.id} />}
      <span class="under">{texts.finalCustomerWhat}</span>
    </>
  )
}

const CustomerName = ({ id }: { readonly id: string }) => {
  const { data } = useCustomer(id)
  return <>{data ? nameOfCustomer(data) : id}</>
}

const CreditFact = ({ draft, totalMinor }: Pick<FinalizeDialogProps, 'draft' | 'totalMinor'>) => {
  const { customer } = draft
  if (customer.by === 'email' || customer.id === undefined || totalMinor === 0) return <NoCredit />
  return <CreditOf id={customer.id} currency={draft.currency} totalMinor={totalMinor} />
}

type CreditOfProps = { readonly id: string; readonly currency: string; readonly totalMinor: number }

const CreditOf = ({ id, currency, totalMinor }: CreditOfProps) => {
  const texts = useInvoiceEditorTexts()
  const { formats } = useReader()
  const credit = useCustomer(id).data?.totals.find(each => each.currency === currency)?.creditMinor ?? 0
  if (credit === 0) return <NoCredit />
  return <>{texts.finalCreditWhat(formats.money(Math.min(credit, totalMinor), currency))}</>
}

const NoCredit = () => <>{useInvoiceEditorTexts().finalNoCredit}</>

/** The due date and the reminders as they would be if it was finalized now. */
const useDateFacts = ({ due, reminders }: InvoiceDraft, settings: BillingSettings, totalMinor: number) => {
  const texts = useInvoiceEditorTexts()
  const { billing } = useSettingsTexts()
  const { formats, now } = useReader()
  const days = due.by === 'days' ? Number(due.days) : settings.daysUntilDue
  const dated = dateInvoice({
    ...{ issuedAt: now.value, timeZone: settings.timeZone, reminders: reminders ?? settings.reminders },
    due: due.by === 'date' ? { dueDate: due.date } : { daysUntilDue: days },
  })
  if (totalMinor === 0) return [[texts.finalDue, texts.finalNothingDue] as const]
  if (!dated.ok) return [[texts.finalDue, texts.dateRefused] as const]
  const planned = dated.dates.reminders.map(({ offsetDays }) => billing.reminder(offsetDays)).join(', ')
  return [
    [texts.finalDue, formats.day(dated.dates.dueDate)] as const,
    [
      texts.finalReminders,
      planned === '' ? (
        texts.finalNoReminders
      ) : (
        <>
          {planned}
          <span class="under">{texts.finalRemindersWhat}</span>
        </>
      ),
    ] as const,
  ]
}
