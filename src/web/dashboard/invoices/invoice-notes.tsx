import type { ComponentChildren } from 'preact'
import type { InvoiceWithLines } from '../../api/calls.ts'
import type { BadgeTone } from '../../parts/badge.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { useAddress } from '../shell/shop.ts'
import { useCreditNotesOf } from './credit-notes.tsx'
import { DraftNotes } from './invoice-draft-notes.tsx'
import { useInvoiceTexts } from './invoice-page-texts.ts'
import { AwaitedClaims, useRefundsOfNotes } from './note-refunds.tsx'

type InvoiceProps = { readonly invoice: InvoiceWithLines }

/** What there is to know and to do about an invoice in its state. */
export const InvoiceNotes = ({ invoice }: InvoiceProps) => (
  <div class="decision">
    {invoice.status === 'draft' ? <DraftNotes invoice={invoice} /> : <IssuedNotes invoice={invoice} />}
  </div>
)

type Said = {
  readonly isSaid: boolean
  readonly title: string
  readonly what: string
  readonly tone: BadgeTone
  readonly actions?: ComponentChildren
}

const IssuedNotes = ({ invoice }: InvoiceProps) => {
  const { notes: texts } = useInvoiceTexts()
  const { formats } = useReader()
  const address = useAddress()
  const money = (minor: number) => formats.money(minor, invoice.currency)
  const { status, overdue, dueDate, customerId, amountDueMinor } = invoice
  const { amountProcessingMinor, amountOverpaidMinor, uncreditedRefundsMinor } = invoice
  const openCustomer = (
    <a class="button" href={address('customers', customerId)}>
      {texts.openCustomer}
    </a>
  )
  const notes: readonly Said[] = [
    { isSaid: status === 'void', title: texts.voidTitle, what: texts.voidWhat, tone: 'quiet' },
    {
      isSaid: status === 'uncollectible',
      ...{ title: texts.uncollectibleTitle, what: texts.uncollectibleWhat, tone: 'quiet' },
    },
    {
      isSaid: overdue,
      title: texts.overdueTitle(money(amountDueMinor), dueDate === null ? '' : formats.day(dueDate)),
      ...{ what: texts.overdueWhat, tone: 'warn' },
    },
    {
      isSaid: amountProcessingMinor > 0,
      title: texts.processingTitle(money(amountProcessingMinor)),
      ...{ what: overdue ? texts.processingWhatOverdue : texts.processingWhat, tone: 'info' },
    },
    {
      isSaid: amountOverpaidMinor > 0,
      title: (status === 'void' ? texts.voidMoneyTitle : texts.overpaidTitle)(money(amountOverpaidMinor)),
      what: status === 'void' ? texts.voidMoneyWhat : texts.overpaidWhat,
      ...{ tone: 'warn', actions: openCustomer },
    },
    {
      isSaid: uncreditedRefundsMinor > 0,
      title: texts.uncreditedTitle(money(uncreditedRefundsMinor)),
      ...{ what: texts.uncreditedWhat, tone: 'warn' },
    },
  ]
  const creditNotes = useCreditNotesOf(invoice) ?? []
  return (
    <>
      <AwaitedClaims notes={creditNotes} refunds={useRefundsOfNotes(creditNotes)} />
      {notes.map(
        ({ isSaid, title, what, tone, actions }) =>
          isSaid && (
            <NoteBox key={title} title={title} tone={tone} actions={actions}>
              {what}
            </NoteBox>
          ),
      )}
    </>
  )
}
