import type { InvoiceWithLines, SubscriptionWithLines } from '../../api/calls.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { useAddress } from '../shell/shop.ts'
import { useSubscriptionsTexts } from './texts.ts'

type SubscriptionNotesProps = {
  readonly subscription: SubscriptionWithLines
  readonly invoices: readonly InvoiceWithLines[]
}

/** What there is to do about a subscription: an invoice that is not paid in time, or a customer that is not confirmed. */
export const SubscriptionNotes = ({ subscription, invoices }: SubscriptionNotesProps) => {
  const { notes: texts } = useSubscriptionsTexts()
  const { formats } = useReader()
  const address = useAddress()
  const { status, openInvoiceId, verified, endedAt } = subscription
  const open = invoices.find(({ id }) => id === openInvoiceId)
  const isFirst = status === 'incomplete' || (status === 'active' && open?.subscription?.periodIndex === 0)
  const amount = open && formats.money(open.amountDueMinor, open.currency)
  return (
    <div class="decision">
      {open && amount !== undefined && (status === 'past_due' || isFirst) && (
        <NoteBox
          tone={isFirst ? 'info' : 'warn'}
          title={isFirst ? texts.firstTitle(amount) : texts.owedTitle(amount)}
          actions={
            <a class="button" href={address('invoices', open.id)}>
              {texts.openInvoice}
            </a>
          }
        >
          {isFirst ? texts.firstWhat : texts.owedWhat}
        </NoteBox>
      )}
      {!verified && endedAt === null && <NoteBox title={texts.unverifiedTitle}>{texts.unverifiedWhat}</NoteBox>}
    </div>
  )
}
