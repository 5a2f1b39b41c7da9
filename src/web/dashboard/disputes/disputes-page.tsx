import type { Dispute } from '../../api/calls.ts'
import { Empty } from '../../parts/empty.tsx'
import { Moment } from '../../parts/moment.tsx'
import { FiatAmount } from '../../parts/money.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateBadge } from '../../parts/state-strip.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { Filters, useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { NothingMatches, PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { addressIn, useAddress, useScope, useShop } from '../shell/shop.ts'
import { disputePath, isDisputeOver } from './dispute-state.ts'
import { useDisputeTexts } from './texts.ts'

const statuses = ['needs_response', 'under_review', 'won', 'lost'] as const satisfies readonly Dispute['status'][]

export const DisputesPage = () => {
  const texts = useDisputeTexts()
  const { livemode } = useShop()
  return (
    <>
      <PageHead title={texts.title} lead={livemode ? undefined : texts.what} />
      {livemode ? <NoneInLiveMode /> : <Disputes />}
    </>
  )
}

const NoneInLiveMode = () => {
  const texts = useDisputeTexts()
  const { merchantId } = useScope()
  return (
    <Empty
      title={texts.liveTitle}
      action={
        <a class="button" href={addressIn({ merchantId, livemode: false }, 'disputes')}>
          {texts.toTest}
        </a>
      }
    >
      {texts.liveWhat}
    </Empty>
  )
}

const Disputes = () => {
  const texts = useDisputeTexts()
  const address = useAddress()
  const query = useAddressQuery()
  const position = usePosition()
  const [q, payment] = [query.get('q'), query.get('payment')]
  const status = statuses.find(each => each === query.get('status'))
  const isFiltered = [q, payment, status].some(each => each !== undefined)
  const result = useShopQuery(
    ['disputes', { q, status, payment, ...position }],
    ({ merchantId, livemode, call }, signal) =>
      readListPage<Dispute>(position, page =>
        call(
          'listDisputes',
          {
            ...{ merchantId, livemode, ...page },
            ...(q !== undefined && { q }),
            ...(status && { status: [status] }),
            ...(payment !== undefined && { paymentId: payment }),
          },
          { signal },
        ),
      ),
  ).value
  return (
    <>
      <OwnersNote />
      <Filters
        search={texts.search}
        hint={texts.searchHint}
        status={texts.status}
        states={statuses.map(each => [each, texts.states[each]])}
      />
      <Result result={result} skeleton={<SkeletonRows rows={8} />}>
        {page => {
          if (page.rows.length > 0)
            return (
              <>
                <DisputesTable rows={page.rows} />
                <PageLinks {...page} />
              </>
            )
          if (isFiltered) return <NothingMatches section="disputes" />
          return (
            <Empty
              title={texts.emptyTitle}
              action={
                <a class="button" href={`${address('payments')}?status=success`}>
                  {texts.toPayments}
                </a>
              }
            >
              {texts.emptyWhat}
            </Empty>
          )
        }}
      </Result>
    </>
  )
}

const DisputesTable = ({ rows }: { readonly rows: readonly Dispute[] }) => {
  const texts = useDisputeTexts()
  const address = useAddress()
  const columns: readonly TableColumn<Dispute>[] = [
    {
      key: 'status',
      head: texts.status,
      card: 2,
      cell: dispute => <StateBadge path={disputePath(dispute, texts)} />,
    },
    {
      key: 'reason',
      head: texts.reason,
      card: 3,
      cell: ({ id, reason }) => (
        <a class="open clip" href={address('disputes', id)}>
          {texts.reasons[reason]}
        </a>
      ),
    },
    {
      key: 'due',
      head: texts.due,
      card: 4,
      named: true,
      cell: ({ status, evidenceDueBy }) => (status === 'needs_response' ? <Moment at={evidenceDueBy} short /> : null),
    },
    { key: 'created', head: texts.created, card: 6, cell: ({ createdAt }) => <Moment at={createdAt} short /> },
    {
      key: 'amount',
      head: texts.amount,
      card: 1,
      end: true,
      cell: ({ amountMinor, currency }) => <FiatAmount minor={amountMinor} currency={currency} />,
    },
  ]
  return (
    <Table
      label={texts.list}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      stateOf={dispute => (isDisputeOver(dispute) ? 'ended' : undefined)}
    />
  )
}
