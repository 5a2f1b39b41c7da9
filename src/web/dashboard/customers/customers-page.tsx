import type { CustomerWithTotals } from '../../api/calls.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Moment } from '../../parts/moment.tsx'
import { FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { clipped, Table, type TableColumn } from '../../parts/table.tsx'
import { ExportButton } from '../exports/export-button.tsx'
import { ListSearch, Pick, useAddressQuery } from '../shell/filters.tsx'
import { useLive } from '../shell/live.ts'
import { NewRows } from '../shell/new-rows.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { NothingMatches, PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { besidesName, lastPaymentAt, useCustomerName } from './customer-name.ts'
import { useCustomersTexts } from './texts.ts'

/** What the search compares instead of the beginnings of names and e-mail addresses. */
const exact = ['reference', 'email'] as const

export const CustomersPage = () => {
  const texts = useCustomersTexts()
  const address = useAddress()
  const query = useAddressQuery()
  const canWrite = useCanWrite()
  const position = usePosition()
  const q = query.get('q')
  const by = exact.find(each => each === query.get('by'))
  const filters = q === undefined ? {} : { [by ?? 'q']: q }
  const result = useShopQuery(['customers', { q, by, ...position }], ({ merchantId, livemode, call }, signal) =>
    readListPage<CustomerWithTotals>(position, page =>
      call('listCustomers', { ...{ merchantId, livemode, ...page }, ...filters }, { signal }),
    ),
  ).value
  const create = canWrite && (
    <a class="button button--primary" href={address('customers', 'new')}>
      <Icon name="plus" />
      {texts.create}
    </a>
  )
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.what}
        actions={
          <>
            <ExportButton lists={[{ kind: 'customers', filters }]} />
            {create}
          </>
        }
      />
      <OwnersNote />
      <div class="filters">
        <ListSearch label={texts.search} hint={by === undefined ? texts.searchHint : texts.exactHints[by]} />
        <Pick
          label={texts.searchBy}
          all={texts.searchByBeginning}
          value={by ?? ''}
          options={exact.map(each => [each, texts.exact[each]])}
          onPick={value => query.filter({ by: value })}
        />
      </div>
      {q === undefined && position.after === undefined && (
        <NewRows section="customers" rows={result.data?.rows ?? []} words={texts.fresh} />
      )}
      <Result result={result} skeleton={<SkeletonRows rows={12} />}>
        {page => {
          if (page.rows.length > 0)
            return (
              <>
                <CustomersTable rows={page.rows} />
                <PageLinks {...page} />
              </>
            )
          if (q !== undefined) return <NothingMatches section="customers" />
          return (
            <Empty title={texts.emptyTitle} action={create}>
              {texts.emptyWhat}
            </Empty>
          )
        }}
      </Result>
    </>
  )
}

const CustomersTable = ({ rows }: { readonly rows: readonly CustomerWithTotals[] }) => {
  const texts = useCustomersTexts()
  const { formats } = useReader()
  const address = useAddress()
  const changed = useLive()?.changed.value
  const nameOf = useCustomerName()
  const columns: readonly TableColumn<CustomerWithTotals>[] = [
    {
      key: 'customer',
      head: texts.customer,
      card: 1,
      cell: customer => (
        <>
          <a class="open clip" href={address('customers', customer.id)}>
            {nameOf(customer)}
          </a>
          <span class="under clip">{customer.erasedAt === null ? besidesName(customer) : customer.id}</span>
          {customer.mergedIntoId !== null && <Badge shape="over">{texts.merged}</Badge>}
        </>
      ),
    },
    { key: 'reference', head: texts.reference, card: 5, cell: ({ reference }) => clipped(reference) },
    {
      key: 'last',
      head: texts.lastPayment,
      card: 3,
      named: true,
      cell: ({ totals }) => {
        const last = lastPaymentAt(totals)
        return last === undefined ? null : <Moment at={last} short />
      },
    },
    {
      key: 'paid',
      head: texts.paid,
      card: 2,
      end: true,
      cell: ({ totals }) => {
        const paid = totals.filter(({ paymentsCount }) => paymentsCount > 0)
        return paid.length === 0
          ? null
          : paid.map(({ currency, volumeMinor, paymentsCount }) => (
              <div key={currency}>
                <FiatAmount minor={volumeMinor} currency={currency} />
                <span class="under">{texts.paymentsCount(paymentsCount, formats.count(paymentsCount))}</span>
              </div>
            ))
      },
    },
  ]
  return (
    <Table
      label={texts.list}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      stateOf={({ id, mergedIntoId }) => (changed?.has(id) ? 'changed' : mergedIntoId === null ? undefined : 'ended')}
    />
  )
}
