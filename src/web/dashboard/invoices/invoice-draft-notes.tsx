import type { InvoiceWithLines } from '../../api/calls.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { useCustomer } from '../customers/use-customer.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { useAddress, useCanWrite, useIsOwner } from '../shell/shop.ts'
import { useBillingSettings } from '../shell/use-billing-settings.ts'
import { useCustomerTime } from '../test-clocks/use-clock.ts'
import { useInvoiceTexts } from './invoice-page-texts.ts'
import { missingSeller } from './missing-seller.ts'

type InvoiceProps = { readonly invoice: InvoiceWithLines }

/** What a draft still needs before it can be finalized; if it needs nothing, what finalization will do. */
export const DraftNotes = ({ invoice }: InvoiceProps) => {
  const { draft: texts } = useInvoiceTexts()
  const { formats } = useReader()
  const [canWrite, isOwner] = [useCanWrite(), useIsOwner()]
  const address = useAddress()
  const missing = useMissingSeller(invoice)
  const customer = useCustomer(invoice.customerId).data
  const time = useCustomerTime(customer)
  const { dueDate, currency, totalMinor } = invoice
  const credit = customer?.totals.find(each => each.currency === currency)?.creditMinor ?? 0
  const appliedMinor = Math.min(credit, totalMinor)
  if (missing.length > 0)
    return (
      <>
        <NoteBox
          title={texts.missingTitle}
          tone="warn"
          actions={
            isOwner && (
              <a class="button" href={`${address('settings')}?part=billing`}>
                {texts.openSettings}
              </a>
            )
          }
        >
          {texts.missingWhat(missing.map(field => texts.missing[field]).join(', '))}
        </NoteBox>
        {canWrite && !isOwner && <OwnersNote of="owners" />}
      </>
    )
  if (customer && customer.erasedAt !== null)
    return (
      <NoteBox title={texts.erasedTitle} tone="warn">
        {texts.erasedWhat}
      </NoteBox>
    )
  // A day that has passed everywhere: the server knows which day it is in the time zone of the shop.
  if (customer && dueDate !== null && time && dueDate < dayBefore(time))
    return (
      <NoteBox title={texts.dueDateTitle} tone="warn">
        {texts.dueDateWhat(formats.day(dueDate))}
      </NoteBox>
    )
  return (
    <NoteBox title={texts.readyTitle}>
      {[
        texts.readyWhat,
        appliedMinor > 0 && texts.creditWhat(formats.money(appliedMinor, currency)),
        appliedMinor === totalMinor && texts.nothingDue,
      ]
        .filter(Boolean)
        .join(' ')}
    </NoteBox>
  )
}

const dayBefore = (now: Date): string => new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10)

const useMissingSeller = ({ livemode }: InvoiceWithLines) => {
  const { data } = useBillingSettings()
  if (!data || !livemode) return []
  return missingSeller(data)
}
