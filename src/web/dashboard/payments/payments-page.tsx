import type { PaymentWithCrypto } from '../../api/calls.ts'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Moment } from '../../parts/moment.tsx'
import { FiatAmount } from '../../parts/money.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { clipped, type TableColumn } from '../../parts/table.tsx'
import { InvoiceLink } from '../billing-records/invoice-link.tsx'
import { ExportButton } from '../exports/export-button.tsx'
import { Filters, Pick, PickToggle, useAddressQuery } from '../shell/filters.tsx'
import { NewRows } from '../shell/new-rows.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { NothingMatches, PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite, useShop } from '../shell/shop.ts'
import { useShownEmail } from '../shell/shown-email.ts'
import { useTexts } from '../shell/texts.ts'
import { PaymentLines } from './payment-lines.tsx'
import { paidWith } from './payment-state.ts'

/** Days, as the address has them. */
const ranges = ['1', '7', '30', '90'] as const
const DAY_MS = 86_400_000

const statuses = ['pending', 'processing', 'success', 'expired', 'failed', 'canceled'] as const

export const PaymentsPage = () => {
  const { payments, list, states } = useTexts()
  const address = useAddress()
  const query = useAddressQuery()
  const canWrite = useCanWrite()
  const position = usePosition()
  const [q, link, customer] = [query.get('q'), query.get('link'), query.get('customer')]
  const status = statuses.find(each => each === query.get('status'))
  const attention = query.get('attention') === 'true'
  const days = ranges.find(each => each === query.get('days'))
  const isFiltered = attention || [q, days, link, customer, status].some(each => each !== undefined)
  const filters = {
    ...(q !== undefined && { q }),
    ...(status && { status: [status] }),
    ...(attention && { attention: 'true' as const }),
    ...(link !== undefined && { paymentLinkId: link }),
    ...(customer !== undefined && { customerId: customer }),
  }
  const result = useShopQuery(
    ['payments', { q, link, customer, status, attention, days, ...position }],
    ({ merchantId, livemode, call }, signal) =>
      readListPage<PaymentWithCrypto>(position, page =>
        call(
          'listPayments',
          {
            ...{ merchantId, livemode, ...page },
            ...filters,
            ...(days && { createdAfter: new Date(Date.now() - Number(days) * DAY_MS).toISOString() }),
          },
          { signal },
        ),
      ),
  ).value

  const names = {
    pending: states.waiting,
    processing: states.confirming,
    success: states.paid,
    expired: states.expired,
    failed: states.failed,
    canceled: states.canceled,
  }
  return (
    <>
      <PageHead
        title={payments.title}
        actions={
          canWrite && (
            <>
              <ExportButton lists={[{ kind: 'payments', filters, days: days && Number(days) }]} />
              <a class="button button--primary" href={address('links', 'new')}>
                <Icon name="plus" />
                {payments.newLink}
              </a>
            </>
          )
        }
      />
      <OwnersNote />
      <Filters
        search={payments.search}
        hint={payments.searchHint}
        status={payments.status}
        states={statuses.map(each => [each, names[each]])}
      >
        <Pick
          label={payments.created}
          all={list.all}
          value={days ?? ''}
          options={ranges.map(each => [each, payments.lastDays(Number(each))])}
          onPick={value => query.filter({ days: value })}
        />
        <PickToggle isOn={attention} onToggle={() => query.filter({ attention: attention ? undefined : 'true' })}>
          {payments.needsYou}
        </PickToggle>
        {link !== undefined && (
          <PickToggle isOn onToggle={() => query.filter({ link: undefined })}>
            {payments.ofLink}
          </PickToggle>
        )}
        {customer !== undefined && (
          <PickToggle isOn onToggle={() => query.filter({ customer: undefined })}>
            {payments.ofCustomer}
          </PickToggle>
        )}
      </Filters>
      {!isFiltered && position.after === undefined && (
        <NewRows section="payments" rows={result.data?.rows ?? []} words={payments.fresh} />
      )}
      <Result result={result} skeleton={<SkeletonRows rows={12} />}>
        {page => {
          if (page.rows.length > 0)
            return (
              <>
                <PaymentsTable rows={page.rows} />
                <PageLinks {...page} />
              </>
            )
          if (!isFiltered) return <NoPayments />
          return <NothingMatches section="payments" />
        }}
      </Result>
    </>
  )
}

type PaymentsTableProps = {
  readonly rows: readonly PaymentWithCrypto[]
  /** Fewer columns, beside something else. */
  readonly narrow?: boolean
}

export const PaymentsTable = ({ rows, narrow = false }: PaymentsTableProps) => {
  const shownEmail = useShownEmail()
  const { payments } = useTexts()
  const address = useAddress()
  const columns: readonly TableColumn<PaymentWithCrypto>[] = [
    {
      key: 'customer',
      head: payments.customer,
      card: 3,
      cell: ({ id, customerEmail }) => (
        <a class="open clip" href={address('payments', id)}>
          {shownEmail(customerEmail)}
        </a>
      ),
    },
    {
      key: 'reference',
      head: payments.reference,
      card: 5,
      cell: ({ reference, invoiceId, invoiceNumber }) =>
        invoiceId === null ? clipped(reference) : <InvoiceLink id={invoiceId} number={invoiceNumber} />,
    },
    { key: 'with', head: payments.paidWith, card: 4, cell: paidWith },
    {
      key: 'created',
      head: payments.created,
      card: narrow ? 4 : 6,
      cell: ({ createdAt }) => <Moment at={createdAt} short />,
    },
    {
      key: 'amount',
      head: payments.amount,
      card: 1,
      end: true,
      cell: ({ amountMinor, currency }) => <FiatAmount minor={amountMinor} currency={currency} />,
    },
  ]
  return (
    <PaymentLines
      label={payments.list}
      columns={narrow ? columns.filter(({ key }) => key !== 'reference' && key !== 'with') : columns}
      rows={rows}
    />
  )
}

const NoPayments = () => {
  const { payments } = useTexts()
  const address = useAddress()
  const { livemode } = useShop()
  const canWrite = useCanWrite()
  return (
    <Empty
      title={payments.emptyTitle}
      action={
        canWrite && (
          <a class="button button--primary" href={address('links', 'new')}>
            <Icon name="plus" />
            {payments.newLink}
          </a>
        )
      }
    >
      {livemode ? payments.emptyWhat : payments.emptyWhatTest}
    </Empty>
  )
}
