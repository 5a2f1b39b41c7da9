import type { PaymentLink } from '../../api/calls.ts'
import { Badge } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Moment } from '../../parts/moment.tsx'
import { FiatAmount } from '../../parts/money.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { clipped, Table, type TableColumn } from '../../parts/table.tsx'
import { Filters, useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { NothingMatches, PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { linkLooks } from './link-state.ts'
import { NoAddressNote, useLacksAddress } from './no-address.tsx'
import { useLinksTexts } from './texts.ts'

const statuses = ['active', 'completed', 'deactivated', 'expired'] as const

export const LinksPage = () => {
  const links = useLinksTexts()
  const address = useAddress()
  const query = useAddressQuery()
  const canWrite = useCanWrite()
  const position = usePosition()
  const q = query.get('q')
  const status = statuses.find(each => each === query.get('status'))
  const isFiltered = q !== undefined || status !== undefined
  const result = useShopQuery(['links', { q, status, ...position }], ({ merchantId, livemode, call }, signal) =>
    readListPage<PaymentLink>(position, page =>
      call(
        'listPaymentLinks',
        {
          ...{ merchantId, livemode, ...page },
          ...(status && { status: [status] }),
          ...(q !== undefined && { q }),
        },
        { signal },
      ),
    ),
  ).value
  const create = canWrite && (
    <a class="button button--primary" href={address('links', 'new')}>
      <Icon name="plus" />
      {links.create}
    </a>
  )
  return (
    <>
      <PageHead title={links.title} lead={links.what} actions={create} />
      <OwnersNote />
      <Filters
        search={links.search}
        hint={links.searchHint}
        status={links.status}
        states={statuses.map(each => [each, links.states[each]])}
      />
      <Result result={result} skeleton={<SkeletonRows rows={8} />}>
        {page => {
          if (page.rows.length > 0)
            return (
              <>
                <NoAddressNote links={page.rows.filter(isActive)} />
                <LinksTable rows={page.rows} />
                <PageLinks {...page} />
              </>
            )
          if (isFiltered) return <NothingMatches section="links" />
          return (
            <Empty title={links.emptyTitle} action={create}>
              {links.emptyWhat}
            </Empty>
          )
        }}
      </Result>
    </>
  )
}

const isActive = ({ status }: PaymentLink): boolean => status === 'active'

const LinksTable = ({ rows }: { readonly rows: readonly PaymentLink[] }) => {
  const links = useLinksTexts()
  const address = useAddress()
  const lacksAddress = useLacksAddress()
  const columns: readonly TableColumn<PaymentLink>[] = [
    {
      key: 'status',
      head: links.status,
      card: 2,
      cell: ({ status }) => <Badge {...linkLooks[status]}>{links.states[status]}</Badge>,
    },
    {
      key: 'title',
      head: links.name,
      card: 3,
      cell: link => (
        <>
          <a class="open clip" href={address('links', link.id)}>
            {link.title ?? link.description ?? links.untitled}
          </a>
          {isActive(link) && lacksAddress(link) && <span class="under">{links.noAddress}</span>}
        </>
      ),
    },
    {
      key: 'reference',
      head: links.reference,
      card: 5,
      cell: ({ reference }) => clipped(reference),
    },
    {
      key: 'paid',
      head: links.paid,
      card: 4,
      cell: ({ paymentsCount, maxPayments }) =>
        maxPayments === null ? links.paidCount(paymentsCount) : links.paidOf(paymentsCount, maxPayments),
    },
    { key: 'created', head: links.created, card: 6, cell: ({ createdAt }) => <Moment at={createdAt} short /> },
    {
      key: 'amount',
      head: links.amount,
      card: 1,
      end: true,
      cell: ({ amountMinor, currency, status, url }) => (
        <>
          <FiatAmount minor={amountMinor} currency={currency} />
          {status === 'active' && <CopyButton value={url} what={links.address} />}
        </>
      ),
    },
  ]
  return (
    <Table
      label={links.list}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      stateOf={({ status }) => (status === 'deactivated' || status === 'expired' ? 'ended' : undefined)}
    />
  )
}
