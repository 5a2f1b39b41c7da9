import { useRoute } from 'preact-iso'
import type { CreditNoteWithLines } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useCreditNotesTexts } from '../billing-records/credit-notes-texts.ts'
import { useInvoice } from '../billing-records/use-invoice.ts'
import { useCustomerName } from '../customers/customer-name.ts'
import { useCustomer } from '../customers/use-customer.ts'
import { RecordEvents } from '../events/record-events.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Facts, RecordJson, Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { DocumentFiles, DocumentHashes } from './invoice-document.tsx'
import { LineTable } from './invoice-lines.tsx'
import { useInvoiceTexts } from './invoice-page-texts.ts'
import { AwaitedClaims, NoteRefunds, refundSumsOf, useRefundsOfNotes } from './note-refunds.tsx'
import { SumRows, useTaxRows } from './sum-rows.tsx'
import { useInvoicesTexts } from './texts.ts'

/** One credit note, which never changes: what it credits, and what it did to the money. */
export const CreditNotePage = () => {
  const { id = '' } = useRoute().params
  const texts = useCreditNotesTexts()
  const { title: invoices, one } = useInvoicesTexts()
  const { formats } = useReader()
  const address = useAddress()
  const result = useShopQuery(['credit-notes', 'one', id], ({ merchantId, call }, signal) =>
    call('getCreditNote', { merchantId, id }, { signal }),
  ).value
  const note = result.data
  const title = note ? texts.titleOf(note.number) : texts.one
  return (
    <>
      <PageHead
        title={title}
        back={
          note
            ? { href: address('invoices', note.invoiceId), label: one }
            : { href: address('invoices'), label: invoices }
        }
        heading={
          <>
            <span class="sr">{title}</span>{' '}
            <span class="amount">{note ? formats.money(note.totalMinor, note.currency) : '…'}</span>
          </>
        }
        lead={
          <span class="sub">
            {note && <b>{note.number}</b>}
            {note && <span>{texts.reasons[note.reason]}</span>}
            <ShortHex value={id} what={texts.id} />
          </span>
        }
      />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {found => <OneCreditNote note={found} />}
      </Result>
    </>
  )
}

type NoteProps = { readonly note: CreditNoteWithLines }

const OneCreditNote = ({ note }: NoteProps) => {
  const texts = useCreditNotesTexts()
  const { lines: linesTexts, document: documentTexts, notePdf } = useInvoiceTexts()
  const { id, number, lines, currency } = note
  const refunds = useRefundsOfNotes([note])
  return (
    <>
      <div class="decision">
        <AwaitedClaims notes={[note]} refunds={refunds} />
      </div>
      <div class="split split--ended">
        <div>
          <Section title={linesTexts.title}>
            <LineTable lines={lines.map(line => ({ ...line, id: line.lineId }))} currency={currency} />
            <NoteSums note={note} />
          </Section>
        </div>
        <div>
          <Section title={texts.details}>
            <NoteFacts note={note} />
          </Section>
          <Section title={documentTexts.title}>
            <DocumentFiles call="getCreditNoteDocument" id={id} name={number} pdf={notePdf} />
            <DocumentHashes {...note} />
          </Section>
        </div>
        <div>
          <RecordEvents id={id} />
          <RecordJson record={note} />
        </div>
      </div>
    </>
  )
}

/** The total, and where it went. */
const NoteSums = ({ note }: NoteProps) => {
  const texts = useCreditNotesTexts()
  const taxRows = useTaxRows()
  const { currency, dueReducedMinor, creditMinor, refundsMinor } = note
  const refunded = refundSumsOf(note, useRefundsOfNotes([note]))
  const some = (label: string, minor: number) => (minor === 0 ? [] : [[label, minor] as const])
  return (
    <SumRows
      currency={currency}
      rows={[
        ...taxRows(note),
        ...some(texts.lowers, dueReducedMinor),
        ...(refunded
          ? [
              ...some(texts.toRefunds, refunded.pending),
              ...some(texts.refunded, refunded.processed),
              ...some(texts.refundToCredit, refunded.canceled),
            ]
          : some(texts.refunds, refundsMinor)),
        ...some(texts.toCredit, creditMinor),
      ]}
    />
  )
}

const NoteFacts = ({ note }: NoteProps) => {
  const texts = useCreditNotesTexts()
  const { one } = useInvoicesTexts()
  const { details } = useInvoiceTexts()
  const { formats } = useReader()
  const address = useAddress()
  const invoice = useInvoice(note.invoiceId).data
  const customer = useCustomer(note.customerId).data
  const nameOf = useCustomerName()
  const refunds = useRefundsOfNotes([note])
  const { reason, note: text, issueDate, issuedAt, refundIds, invoiceId, customerId } = note
  return (
    <Facts
      facts={[
        [one, <a href={address('invoices', invoiceId)}>{invoice?.number ?? invoiceId}</a>],
        [details.customer, <a href={address('customers', customerId)}>{customer ? nameOf(customer) : customerId}</a>],
        [texts.reason, texts.reasons[reason]],
        [texts.note, text !== null && <span class="invoice-notes">{text}</span>],
        [texts.issueDate, formats.day(issueDate)],
        [texts.issued, <Moment at={issuedAt} />],
        [texts.refunds, refundIds.length > 0 && <NoteRefunds note={note} refunds={refunds} />],
      ]}
    />
  )
}
