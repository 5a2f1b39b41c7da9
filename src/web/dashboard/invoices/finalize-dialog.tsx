import { dayIn } from '../../../billing/days.ts'
import { parseNumberPattern, renderNumber } from '../../../billing/document-number.ts'
import { dateInvoice } from '../../../billing/invoice-dates.ts'
import type { BillingSettings } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { nameOfCustomer } from '../customers/customer-name.ts'
import { RemindersUnheard } from '../settings/reminder-endpoints.tsx'
import { useSettingsTexts } from '../settings/texts.ts'
import type { Action } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Facts } from '../shell/record.tsx'
import { useAddress, useIsOwner } from '../shell/shop.ts'
import { useCustomerTime } from '../test-clocks/use-clock.ts'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import type { InvoiceDraft } from './invoice-draft.ts'
import { missingSeller, type SellerField } from './missing-seller.ts'
import { useDraftCustomer } from './use-draft-customer.ts'

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
  const customer = useDraftCustomer(draft.customer)
  const money = (minor: number) => formats.money(minor, draft.currency)
  const creditMinor = customer?.totals.find(({ currency }) => currency === draft.currency)?.creditMinor ?? 0
  const appliedMinor = Math.min(creditMinor, totalMinor)
  const dueMinor = totalMinor - appliedMinor
  const isByClock = customer !== undefined && customer.testClockId !== null
  const time = useCustomerTime(customer)
  const missing = missingIn(settings, action.error)
  const hasReminders = dueMinor > 0 && (draft.reminders ?? settings.reminders).length > 0
  return (
    <FormDialog
      open
      wide
      title={texts.finalizeTitle}
      no={texts.keep}
      yes={dueMinor === 0 ? texts.finalizePaid : texts.finalizeYes(money(dueMinor))}
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
          [texts.finalNumber, isByClock ? texts.finalClockNumber : <NumberFact settings={settings} />],
          [texts.finalCustomer, <CustomerFact draft={draft} customer={customer} />],
          [texts.finalLines, texts.finalLinesWhat(draft.lines.length, money(totalMinor))],
          [texts.finalCredit, appliedMinor === 0 ? texts.finalNoCredit : texts.finalCreditWhat(money(appliedMinor))],
          ...useDateFacts(draft, settings, { dueMinor, isByClock, time }),
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

type CustomerFactProps = Pick<FinalizeDialogProps, 'draft'> & {
  readonly customer: ReturnType<typeof useDraftCustomer>
}

const CustomerFact = ({ draft, customer }: CustomerFactProps) => {
  const texts = useInvoiceEditorTexts()
  const given = draft.customer
  const typed =
    given.by === 'email' ? [given.name, given.company, given.email].find(text => text.trim() !== '') : given.id
  return (
    <>
      {customer ? nameOfCustomer(customer) : typed}
      <span class="under">{texts.finalCustomerWhat}</span>
    </>
  )
}

type Due = {
  readonly dueMinor: number
  readonly isByClock: boolean
  /** Of the customer; undefined if it is not known. */
  readonly time: Date | undefined
}

/** The due date and the reminders as they would be if it was finalized now, by the test clock of the customer if it has one. */
const useDateFacts = (
  { due, reminders }: InvoiceDraft,
  settings: BillingSettings,
  { dueMinor, isByClock, time }: Due,
) => {
  const texts = useInvoiceEditorTexts()
  const { billing } = useSettingsTexts()
  const { formats } = useReader()
  const days = due.by === 'days' ? Number(due.days) : settings.daysUntilDue
  if (dueMinor === 0) return [[texts.finalDue, texts.finalNothingDue] as const]
  if (!time) return [[texts.finalDue, due.by === 'date' ? formats.day(due.date) : texts.finalClockDue(days)] as const]
  const dated = dateInvoice({
    ...{ issuedAt: time, timeZone: settings.timeZone, reminders: reminders ?? settings.reminders },
    due: due.by === 'date' ? { dueDate: due.date } : { daysUntilDue: days },
  })
  if (!dated.ok) return [[texts.finalDue, texts.dateRefused] as const]
  const planned = dated.dates.reminders.map(({ offsetDays }) => billing.reminder(offsetDays)).join(', ')
  return [
    [
      texts.finalDue,
      <>
        {formats.day(dated.dates.dueDate)}
        {isByClock && <span class="under">{texts.finalClockNow(formats.exact(time))}</span>}
      </>,
    ] as const,
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
