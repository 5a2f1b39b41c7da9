import type { InvoiceWithLines } from '../../api/calls.ts'
import { FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { StateBadge } from '../../parts/state-strip.tsx'
import { clipped, Table, type TableColumn } from '../../parts/table.tsx'
import { useCustomerName } from '../customers/customer-name.ts'
import { useLive } from '../shell/live.ts'
import { useAddress } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { invoicePath, invoiceRemark, isInvoiceOver } from './invoice-state.ts'
import { useInvoicesTexts } from './texts.ts'
import { useCustomerNames } from './use-customer-names.ts'

/** Characters of an amount that fit beside the state in a narrow card. */
const ROOM = 14
/** Characters of a number that is always shown whole: it names the invoice. */
const USUAL = 20

type InvoicesTableProps = {
  readonly rows: readonly InvoiceWithLines[]
  /** Of one customer: without the customer and the reference. */
  readonly narrow?: boolean
}

export const InvoicesTable = ({ rows, narrow = false }: InvoicesTableProps) => {
  const texts = useInvoicesTexts()
  const { payments } = useTexts()
  const { formats } = useReader()
  const address = useAddress()
  const changed = useLive()?.changed.value
  const nameOf = useCustomerName()
  const names = useCustomerNames(narrow ? [] : rows.filter(({ customer }) => customer === null))
  const columns: readonly TableColumn<InvoiceWithLines>[] = [
    {
      key: 'status',
      head: payments.status,
      card: 2,
      cell: invoice => (
        <>
          <StateBadge path={invoicePath(invoice, texts.states)} />
          {/* Beside other content there is no room for it. */}
          {!narrow && <span class="what">{invoiceRemark(invoice, texts, formats)}</span>}
        </>
      ),
    },
    {
      key: 'number',
      head: texts.number,
      card: 3,
      cell: ({ id, number }) => (
        <a class={number !== null && number.length > USUAL ? 'open clip' : 'open'} href={address('invoices', id)}>
          {number ?? texts.draft}
        </a>
      ),
    },
    {
      key: 'customer',
      head: texts.customer,
      card: 4,
      cell: ({ customer, customerId }) => clipped(customer === null ? (names.get(customerId) ?? '') : nameOf(customer)),
    },
    { key: 'reference', head: texts.reference, card: 5, cell: ({ reference }) => clipped(reference) },
    {
      key: 'due',
      head: texts.dueDate,
      card: 6,
      named: true,
      cell: ({ dueDate }) => (dueDate === null ? null : <time datetime={dueDate}>{formats.day(dueDate)}</time>),
    },
    {
      key: 'amount',
      head: texts.amountDue,
      card: 1,
      end: true,
      cell: ({ status, amountDueMinor, totalMinor, currency }) => {
        // Of what is settled the total, which says more than 0.
        const shownMinor = status === 'paid' || status === 'void' ? totalMinor : amountDueMinor
        return (
          <>
            <span class={formats.money(shownMinor, currency).length > ROOM ? 'invoices__long' : undefined}>
              <FiatAmount minor={shownMinor} currency={currency} />
            </span>
            {shownMinor !== totalMinor && (
              <span class="table__under">{texts.of(formats.money(totalMinor, currency))}</span>
            )}
          </>
        )
      },
    },
  ]
  return (
    <div class="pay invoices">
      <Table
        label={texts.list}
        columns={narrow ? columns.filter(({ key }) => key !== 'customer' && key !== 'reference') : columns}
        rows={rows}
        keyOf={({ id }) => id}
        stateOf={invoice => (changed?.has(invoice.id) ? 'changed' : isInvoiceOver(invoice) ? 'ended' : undefined)}
      />
    </div>
  )
}
