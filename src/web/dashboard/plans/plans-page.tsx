import type { Plan } from '../../api/calls.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Moment } from '../../parts/moment.tsx'
import { FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { clipped, Table, type TableColumn } from '../../parts/table.tsx'
import { Filters, useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { NothingMatches, PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { planLooks } from './plan-state.ts'
import { usePlansTexts } from './texts.ts'

const statuses = ['active', 'archived'] as const

export const PlansPage = () => {
  const texts = usePlansTexts()
  const address = useAddress()
  const query = useAddressQuery()
  const canWrite = useCanWrite()
  const position = usePosition()
  const q = query.get('q')
  const status = statuses.find(each => each === query.get('status'))
  const isFiltered = q !== undefined || status !== undefined
  const result = useShopQuery(['plans', { q, status, ...position }], ({ call, ...scope }, signal) =>
    readListPage<Plan>(position, page =>
      call(
        'listPlans',
        {
          ...{ ...scope, ...page },
          ...(status && { status: [status] }),
          ...(q !== undefined && { q }),
        },
        { signal },
      ),
    ),
  ).value
  const create = canWrite && (
    <a class="button button--primary" href={address('plans', 'new')}>
      <Icon name="plus" />
      {texts.create}
    </a>
  )
  return (
    <>
      <PageHead title={texts.title} lead={texts.what} actions={create} />
      <OwnersNote />
      <Filters
        search={texts.search}
        hint={texts.searchHint}
        status={texts.status}
        states={statuses.map(each => [each, texts.states[each]])}
      />
      <Result result={result} skeleton={<SkeletonRows rows={8} />}>
        {page =>
          page.rows.length > 0 ? (
            <>
              <PlansTable rows={page.rows} />
              <PageLinks {...page} />
            </>
          ) : isFiltered ? (
            <NothingMatches section="plans" />
          ) : (
            <Empty title={texts.emptyTitle} action={create}>
              {texts.emptyWhat}
            </Empty>
          )
        }
      </Result>
    </>
  )
}

const PlansTable = ({ rows }: { readonly rows: readonly Plan[] }) => {
  const texts = usePlansTexts()
  const { formats } = useReader()
  const address = useAddress()
  const columns: readonly TableColumn<Plan>[] = [
    {
      key: 'status',
      head: texts.status,
      card: 2,
      cell: ({ status }) => <Badge {...planLooks[status]}>{texts.states[status]}</Badge>,
    },
    {
      key: 'name',
      head: texts.name,
      card: 3,
      cell: ({ id, name }) => (
        <a class="open clip" href={address('plans', id)}>
          {name}
        </a>
      ),
    },
    { key: 'reference', head: texts.reference, card: 5, cell: ({ reference }) => clipped(reference) },
    {
      key: 'subscriptions',
      head: texts.subscriptions,
      card: 4,
      named: true,
      cell: ({ subscriptionsCount }) => formats.count(subscriptionsCount),
    },
    { key: 'created', head: texts.created, card: 6, cell: ({ createdAt }) => <Moment at={createdAt} short /> },
    {
      key: 'price',
      head: texts.price,
      card: 1,
      end: true,
      cell: ({ amountMinor, currency, interval, intervalCount }) => (
        <>
          <FiatAmount minor={amountMinor} currency={currency} />
          <span class="under">{texts.per[interval](intervalCount)}</span>
        </>
      ),
    },
  ]
  return (
    <Table
      label={texts.list}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      stateOf={({ status }) => (status === 'archived' ? 'ended' : undefined)}
    />
  )
}
