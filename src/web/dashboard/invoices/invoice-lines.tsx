import { useState } from 'preact/hooks'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { Section } from '../shell/record.tsx'
import { useCreditNotesOf } from './credit-notes.tsx'
import { useInvoiceTexts } from './invoice-page-texts.ts'
import { refundSumsOf, useRefundsOfNotes } from './note-refunds.tsx'
import { ratePercent, SumRows, useTaxRows } from './sum-rows.tsx'
import { useInvoicesTexts } from './texts.ts'

type Line = Omit<InvoiceWithLines['lines'][number], 'quantity' | 'unitAmountMinor'> & {
  /** Null in a credit note: of this line an amount was credited. */
  readonly quantity: string | null
  readonly unitAmountMinor: number | null
}

/** The lines of an invoice, and its sums below them. */
export const InvoiceLines = ({ invoice }: { readonly invoice: InvoiceWithLines }) => {
  const { lines: texts } = useInvoiceTexts()
  const { lines, currency, taxBehavior } = invoice
  return (
    <Section title={texts.title} aside={texts[taxBehavior]}>
      <LineTable lines={lines} currency={currency} />
      <InvoiceSums invoice={invoice} />
    </Section>
  )
}

/** A long invoice is folded: its sums and payments are what people look for. */
const SHOWN = 15

type LineTableProps = { readonly lines: readonly Line[]; readonly currency: string }

/** The lines of a document. */
export const LineTable = ({ lines, currency }: LineTableProps) => {
  const { lines: texts } = useInvoiceTexts()
  const { taxCategories } = useInvoicesTexts()
  const { formats, locale } = useReader()
  const period = usePeriod()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? lines : lines.slice(0, SHOWN)
  const columns: readonly TableColumn<Line>[] = [
    {
      key: 'what',
      head: texts.what,
      card: 1,
      cell: line => (
        <>
          {line.description}
          {[period(line), line.taxNote].map(note => note !== null && <span class="table__under">{note}</span>)}
        </>
      ),
    },
    {
      key: 'quantity',
      head: texts.quantity,
      card: 3,
      named: true,
      end: true,
      cell: ({ quantity }) => (quantity === null ? null : formats.decimal(quantity)),
    },
    {
      key: 'each',
      head: texts.each,
      card: 4,
      end: true,
      cell: ({ unitAmountMinor }) => (unitAmountMinor === null ? null : formats.money(unitAmountMinor, currency)),
    },
    {
      key: 'tax',
      head: texts.tax,
      card: 5,
      named: true,
      end: true,
      cell: ({ taxCategory, taxRateBps }) =>
        taxCategory === 'standard' ? ratePercent(taxRateBps, locale) : taxCategories[taxCategory],
    },
    {
      key: 'amount',
      head: texts.amount,
      card: 2,
      end: true,
      cell: ({ amountMinor }) => <FiatAmount minor={amountMinor} currency={currency} />,
    },
  ]
  return (
    <>
      <div class="invoice-lines">
        <Table label={texts.title} columns={columns} rows={shown} keyOf={({ id }) => id} />
      </div>
      {shown.length < lines.length && (
        <p class="buttons">
          <button type="button" class="button button--small" onClick={() => setWhole(true)}>
            {texts.showAll(formats.count(lines.length))}
          </button>
        </p>
      )}
    </>
  )
}

/** From the total to what is due, and what happened to money beyond that. Amounts that are 0 are left out. */
const InvoiceSums = ({ invoice }: { readonly invoice: InvoiceWithLines }) => {
  const { sums: texts } = useInvoiceTexts()
  const { sums } = useInvoicesTexts()
  const taxRows = useTaxRows()
  const { status, currency } = invoice
  const some = (label: string, minor: number) => (minor === 0 ? [] : [[label, minor] as const])
  const notes = useCreditNotesOf(invoice) ?? []
  const refunds = useRefundsOfNotes(notes)
  // What was paid before it was credited is credit or is refunded, and does not lower what is due.
  const creditedMinor = notes.reduce((sum, { totalMinor, dueReducedMinor }) => sum + totalMinor - dueReducedMinor, 0)
  const pendingMinor = notes.reduce((sum, note) => sum + (refundSumsOf(note, refunds)?.pending ?? 0), 0)
  return (
    <SumRows
      currency={currency}
      rows={[
        ...taxRows(invoice),
        ...some(texts.credit, -invoice.creditAppliedMinor),
        ...some(sums.creditNotes, -invoice.creditNotesMinor),
        ...some(sums.paid, -invoice.amountPaidMinor),
        ...(status === 'draft' ? [] : [[sums.due, invoice.amountDueMinor, 'strong'] as const]),
        ...some(texts.processing, invoice.amountProcessingMinor),
        ...some(texts.overpaid, invoice.amountOverpaidMinor),
        ...some(texts.credited, creditedMinor),
        ...some(texts.toRefund, pendingMinor),
        ...some(texts.refunded, invoice.amountRefundedMinor),
        ...some(texts.uncredited, invoice.uncreditedRefundsMinor),
      ]}
    />
  )
}

/** The days or times that a line is about. Null: none. */
const usePeriod = () => {
  const { lines: texts } = useInvoiceTexts()
  const { formats } = useReader()
  const shown = (at: string) => (at.length === 10 ? formats.day(at) : formats.date(at))
  return ({ periodStart: start, periodEnd: end }: Line): string | null => {
    if (start !== null && end !== null) return texts.period(shown(start), shown(end))
    if (start !== null) return texts.from(shown(start))
    return end === null ? null : texts.until(shown(end))
  }
}
