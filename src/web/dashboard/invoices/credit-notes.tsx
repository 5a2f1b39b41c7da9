import { useEffect } from 'preact/hooks'
import type { CreditNoteWithLines, InvoiceWithLines } from '../../api/calls.ts'
import { Moment } from '../../parts/moment.tsx'
import { FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { useCreditNotesTexts } from '../billing-records/credit-notes-texts.ts'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { useAddress } from '../shell/shop.ts'
import { DocumentFiles } from './invoice-document.tsx'
import { useInvoiceTexts } from './invoice-page-texts.ts'
import { NoteRefunds, useRefundsOfNotes } from './note-refunds.tsx'

/** The server issues at most so many for one invoice. */
const MOST = 100

/** The credit notes of an invoice, newest first; undefined until they are read. */
export const useCreditNotesOf = ({ id, creditNoteIds }: InvoiceWithLines) => {
  const { data, refetch } = useShopQuery(
    ['credit-notes', 'of', id],
    async ({ call, ...scope }, signal) =>
      (await call('listCreditNotes', { ...scope, invoiceId: id, limit: MOST }, { signal })).data,
  ).value
  useEffect(() => {
    void refetch({ cancelRefetch: false })
  }, [creditNoteIds.length])
  return data
}

/** The credit notes of an invoice: what each did to the money, its refunds and its document. */
export const CreditNotes = ({ invoice }: { readonly invoice: InvoiceWithLines }) => {
  const { notePdf } = useInvoiceTexts()
  const texts = useCreditNotesTexts()
  const { formats } = useReader()
  const address = useAddress()
  const notes = useCreditNotesOf(invoice)
  const refunds = useRefundsOfNotes(notes ?? [])
  if (!notes || notes.length === 0) return null
  const { currency } = invoice
  const parts = ({ dueReducedMinor, creditMinor }: CreditNoteWithLines) =>
    [
      [texts.lowers, dueReducedMinor],
      [texts.toCredit, creditMinor],
    ] as const
  const columns: readonly TableColumn<CreditNoteWithLines>[] = [
    {
      key: 'number',
      head: texts.number,
      card: 1,
      cell: ({ id, number, reason, note }) => (
        <>
          <a class="credit-notes__part" href={address('credit-notes', id)}>
            {number}
          </a>
          <span class="table__under">{texts.reasons[reason]}</span>
          {note !== null && <span class="table__under">{note}</span>}
          <DocumentFiles call="getCreditNoteDocument" id={id} name={number} pdf={notePdf} formats={['pdf']} />
        </>
      ),
    },
    { key: 'issued', head: texts.issued, card: 3, cell: ({ issuedAt }) => <Moment at={issuedAt} short /> },
    {
      key: 'settlement',
      head: texts.settled,
      card: 5,
      cell: note => (
        <>
          {parts(note).map(
            ([name, minor]) =>
              minor > 0 && (
                <span key={name} class="credit-notes__part">
                  {name}: {formats.money(minor, currency)}
                </span>
              ),
          )}
          <NoteRefunds note={note} refunds={refunds} />
        </>
      ),
    },
    {
      key: 'amount',
      head: texts.amount,
      card: 2,
      end: true,
      cell: ({ totalMinor }) => <FiatAmount minor={totalMinor} currency={currency} />,
    },
  ]
  return (
    <Section title={texts.title}>
      <div class="credit-notes">
        <Table label={texts.title} columns={columns} rows={notes} keyOf={({ id }) => id} />
      </div>
    </Section>
  )
}
