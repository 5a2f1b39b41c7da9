import type { ComponentChildren } from 'preact'
import { useRoute } from 'preact-iso'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateBadge, StateStrip } from '../../parts/state-strip.tsx'
import { useInvoice } from '../billing-records/use-invoice.ts'
import { useCustomerName } from '../customers/customer-name.ts'
import { RecordEvents } from '../events/record-events.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { RecordJson } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { CreditNotes } from './credit-notes.tsx'
import { InvoiceActions } from './invoice-actions.tsx'
import { useInvoiceCustomer } from './invoice-customer.ts'
import { InvoiceDetails } from './invoice-details.tsx'
import { InvoiceDocument } from './invoice-document.tsx'
import { InvoiceHistory } from './invoice-history.tsx'
import { InvoiceLines } from './invoice-lines.tsx'
import { InvoiceNotes } from './invoice-notes.tsx'
import { useInvoiceTexts } from './invoice-page-texts.ts'
import { InvoicePayments } from './invoice-payments.tsx'
import { InvoiceShare } from './invoice-share.tsx'
import { invoicePath } from './invoice-state.ts'
import { useInvoicesTexts } from './texts.ts'

export const InvoicePage = () => {
  const { id = '' } = useRoute().params
  const texts = useInvoiceTexts()
  const all = useInvoicesTexts()
  const address = useAddress()
  const result = useInvoice(id)
  const invoice = result.data
  return (
    <>
      <PageHead
        title={useTitle(invoice)}
        back={{ href: address('invoices'), label: all.title }}
        heading={<Heading invoice={invoice} />}
        lead={invoice ? <Subtitle invoice={invoice} /> : <ShortHex value={id} what={texts.id} />}
        actions={invoice && <InvoiceActions invoice={invoice} />}
      />
      <OwnersNote />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {found => <OneInvoice invoice={found} />}
      </Result>
    </>
  )
}

type InvoiceProps = { readonly invoice: InvoiceWithLines }

const useTitle = (invoice: InvoiceWithLines | undefined): string => {
  const texts = useInvoiceTexts()
  const { one } = useInvoicesTexts()
  const { formats } = useReader()
  if (!invoice) return one
  const { number, totalMinor, currency } = invoice
  return number === null ? texts.draftTitle(formats.money(totalMinor, currency)) : texts.title(number)
}

/** The largest thing of the page is what is still to be paid; of an invoice that is settled, its total. */
const Heading = ({ invoice }: { readonly invoice: InvoiceWithLines | undefined }) => {
  const texts = useInvoiceTexts()
  const { formats } = useReader()
  const title = useTitle(invoice)
  if (!invoice) return <span class="amount">…</span>
  const { status, currency, amountDueMinor, totalMinor } = invoice
  const isDue = (status === 'open' || status === 'uncollectible') && amountDueMinor !== totalMinor
  const total = formats.money(totalMinor, currency)
  return (
    <>
      <span class="sr">{title}</span>{' '}
      <span class="amount">
        {isDue ? formats.money(amountDueMinor, currency) : total}
        {isDue && <small> {texts.dueOf(total)}</small>}
      </span>
    </>
  )
}

const Subtitle = ({ invoice }: InvoiceProps) => {
  const texts = useInvoiceTexts()
  const { states } = useInvoicesTexts()
  const address = useAddress()
  const customer = useInvoiceCustomer(invoice)
  const nameOf = useCustomerName()
  const { id, number, customerId, orderNumber } = invoice
  return (
    <span class="sub">
      <StateBadge path={invoicePath(invoice, states)} />
      <b>{number ?? texts.noNumber}</b>
      {customer && <a href={address('customers', customerId)}>{nameOf(customer)}</a>}
      {orderNumber !== null && <span>{texts.order(orderNumber)}</span>}
      <ShortHex value={id} what={texts.id} />
    </span>
  )
}

const OneInvoice = ({ invoice }: InvoiceProps) => {
  const texts = useInvoiceTexts()
  const { states } = useInvoicesTexts()
  return (
    <>
      <div class="band">
        <StateStrip label={texts.state} path={invoicePath(invoice, states)} notes={useStripNotes(invoice)} />
      </div>
      <InvoiceNotes invoice={invoice} />
      <div class="split split--ended">
        <div>
          <InvoiceLines invoice={invoice} />
          <InvoicePayments invoice={invoice} />
          <CreditNotes invoice={invoice} />
        </div>
        <div>
          <InvoiceShare invoice={invoice} />
          <InvoiceDetails invoice={invoice} />
          <InvoiceDocument invoice={invoice} />
        </div>
        <div>
          <InvoiceHistory invoice={invoice} />
          <RecordEvents id={invoice.id} />
          <RecordJson record={invoice} />
        </div>
      </div>
    </>
  )
}

/** Under each mark: when it was reached, and what is missing. */
const useStripNotes = (invoice: InvoiceWithLines): readonly ComponentChildren[] => {
  const { strip: texts } = useInvoiceTexts()
  const { formats, now } = useReader()
  const listed = (at: string | null) => (at === null ? undefined : formats.listed(at, now.value))
  const { status, overdue, currency, createdAt, issuedAt, dueDate, paidAt, voidedAt, amountDueMinor } = invoice
  const due = dueDate === null ? '' : formats.day(dueDate)
  const isPayable = status === 'open' || status === 'uncollectible'
  const second = overdue ? (
    texts.overdueSince(due)
  ) : (
    <>
      {listed(status === 'void' ? voidedAt : issuedAt)}
      {isPayable && due !== '' && (
        <>
          <br />
          {texts.dueOn(due)}
        </>
      )}
    </>
  )
  const missing = isPayable && texts.missing(formats.money(amountDueMinor, currency))
  return [listed(createdAt), status === 'draft' ? undefined : second, listed(paidAt) ?? missing]
}
