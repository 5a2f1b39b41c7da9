import { useState } from 'preact/hooks'
import type { CreditEntry, CustomerWithTotals } from '../../api/calls.ts'
import { Moment } from '../../parts/moment.tsx'
import { FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useIsOwner } from '../shell/shop.ts'
import { AdjustCredit } from './adjust-credit.tsx'
import { useCustomersTexts } from './texts.ts'

/** The credit ledger of a customer. Its position is in the address: it is the one long list of the page. */
export const Credit = ({ customer }: { readonly customer: CustomerWithTotals }) => {
  const texts = useCustomersTexts()
  const isOwner = useIsOwner()
  const position = usePosition()
  const [isAdjusting, setAdjusting] = useState(false)
  const { id } = customer
  const result = useShopQuery(['customers', 'one', id, 'credit', position], ({ merchantId, call }, signal) =>
    readListPage<CreditEntry>(position, page => call('listCustomerCredit', { merchantId, id, ...page }, { signal })),
  ).value
  return (
    <Section
      title={texts.credit}
      aside={
        isOwner && customer.erasedAt === null ? (
          <button type="button" class="button button--small" onClick={() => setAdjusting(true)}>
            {texts.adjust.button}
          </button>
        ) : undefined
      }
    >
      <Result result={result} skeleton={<SkeletonRows rows={3} />}>
        {page =>
          page.rows.length === 0 ? (
            <p class="quiet">{texts.noCredit}</p>
          ) : (
            <>
              <CreditTable rows={page.rows} />
              <PageLinks {...page} />
            </>
          )
        }
      </Result>
      {isAdjusting && <AdjustCredit customer={customer} onClose={() => setAdjusting(false)} />}
    </Section>
  )
}

const CreditTable = ({ rows }: { readonly rows: readonly CreditEntry[] }) => {
  const texts = useCustomersTexts()
  const { formats } = useReader()
  const columns: readonly TableColumn<CreditEntry>[] = [
    {
      key: 'type',
      head: texts.entry,
      card: 3,
      cell: entry => (
        <>
          <EntryType entry={entry} />
          {entry.note !== null && <span class="table__under">{entry.note}</span>}
        </>
      ),
    },
    { key: 'at', head: texts.at, card: 2, cell: ({ createdAt }) => <Moment at={createdAt} short /> },
    {
      key: 'amount',
      head: texts.amount,
      card: 1,
      end: true,
      cell: ({ amountMinor, currency }) => (
        <span class="money">
          {amountMinor > 0 && '+'}
          {formats.money(amountMinor, currency)}
        </span>
      ),
    },
    {
      key: 'balance',
      head: texts.balance,
      card: 4,
      named: true,
      end: true,
      cell: ({ balanceMinor, currency }) => <FiatAmount minor={balanceMinor} currency={currency} />,
    },
  ]
  return <Table label={texts.ledger} columns={columns} rows={rows} keyOf={({ id }) => id} />
}

/** What an entry is, as a link to the record that it comes from. */
const EntryType = ({ entry: { type, creditNoteId, invoiceId, paymentId } }: { readonly entry: CreditEntry }) => {
  const { entryTypes } = useCustomersTexts()
  const address = useAddress()
  const record =
    creditNoteId !== null
      ? address('credit-notes', creditNoteId)
      : invoiceId !== null
        ? address('invoices', invoiceId)
        : paymentId !== null && address('payments', paymentId)
  return record ? <a href={record}>{entryTypes[type]}</a> : <span>{entryTypes[type]}</span>
}
