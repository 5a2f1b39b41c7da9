import { useEffect } from 'preact/hooks'
import type { RefundWithAttention } from '../../api/calls.ts'
import { Empty } from '../../parts/empty.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { ExportButton } from '../exports/export-button.tsx'
import { Filters, Pick, PickToggle, useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { NothingMatches, PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useRefresh, useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useShop } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { RefundTable } from './refund-table.tsx'
import { reportAllNoted } from './reporting.ts'
import { useRefundTexts } from './texts.ts'

type Status = RefundWithAttention['status']

const statuses = [
  'requires_destination',
  'requires_signature',
  'processing',
  'processed',
  'failed',
  'canceled',
] as const satisfies readonly Status[]

const ranges = ['1', '7', '30', '90'] as const
const DAY_MS = 86_400_000

/** What has to be done next, or the refunds that match the filters. */
export const RefundsPage = () => {
  const texts = useRefundTexts()
  const { list } = useTexts()
  const { session } = useShop()
  const query = useAddressQuery()
  const refresh = useRefresh()
  const { days, attention, payment, filters, isFiltered, isList } = useFilters()
  useEffect(() => {
    reportAllNoted(session.call)
      .then(() => refresh('refunds'))
      .catch(() => {})
  }, [])
  const names: Readonly<Record<Status, string>> = {
    requires_destination: texts.states.address,
    requires_signature: texts.states.sign,
    processing: texts.states.confirming,
    processed: texts.states.refunded,
    failed: texts.states.failed,
    canceled: texts.states.canceled,
  }
  return (
    <>
      <PageHead
        title={texts.title}
        lead={isList ? texts.whatAll : texts.what}
        actions={<ExportButton lists={[{ kind: 'refunds', filters, days: days && Number(days) }]} />}
      />
      <OwnersNote />
      <Filters
        search={texts.search}
        hint={texts.searchHint}
        status={texts.status}
        states={statuses.map(each => [each, names[each]])}
      >
        <Pick
          label={texts.created}
          all={list.all}
          value={days ?? ''}
          options={ranges.map(each => [each, texts.lastDays(Number(each))])}
          onPick={value => query.filter({ days: value })}
        />
        <PickToggle isOn={attention} onToggle={() => query.filter({ attention: attention ? undefined : 'true' })}>
          {texts.needsYou}
        </PickToggle>
        {payment !== undefined && (
          <PickToggle isOn onToggle={() => query.filter({ payment: undefined })}>
            {texts.ofPayment}
          </PickToggle>
        )}
        {!isFiltered && (
          <PickToggle isOn={isList} onToggle={() => query.filter({ view: isList ? undefined : 'all' })}>
            {texts.all}
          </PickToggle>
        )}
      </Filters>
      {isList ? <FilteredRefunds /> : <Queue />}
    </>
  )
}

/** The state of the list, from the address. */
const useFilters = () => {
  const query = useAddressQuery()
  const [q, payment] = [query.get('q'), query.get('payment')]
  const status = statuses.find(each => each === query.get('status'))
  const days = ranges.find(each => each === query.get('days'))
  const attention = query.get('attention') === 'true'
  const isFiltered = [q, payment, status, days].some(each => each !== undefined) || attention
  const filters = {
    ...(q !== undefined && { q }),
    ...(status && { status: [status] }),
    ...(attention && { attention: 'true' as const }),
    ...(payment !== undefined && { paymentId: payment }),
  }
  return { q, payment, status, days, attention, filters, isFiltered, isList: isFiltered || query.get('view') === 'all' }
}

const FilteredRefunds = () => {
  const texts = useRefundTexts()
  const position = usePosition()
  const { q, status, days, attention, payment, filters, isFiltered } = useFilters()
  const result = useShopQuery(
    ['refunds', { q, status, attention, days, payment, ...position }],
    ({ merchantId, livemode, call }, signal) =>
      readListPage<RefundWithAttention>(position, page =>
        call(
          'listRefunds',
          {
            ...{ merchantId, livemode, ...page },
            ...filters,
            ...(days && { createdAfter: new Date(Date.now() - Number(days) * DAY_MS).toISOString() }),
          },
          { signal },
        ),
      ),
  ).value
  return (
    <Result result={result} skeleton={<SkeletonRows rows={12} />}>
      {page => {
        if (page.rows.length > 0)
          return (
            <>
              <RefundTable label={texts.list} rows={page.rows} />
              <PageLinks {...page} />
            </>
          )
        if (!isFiltered) return <NoRefunds />
        return <NothingMatches section="refunds" />
      }}
    </Result>
  )
}

type Stage = {
  readonly name: 'resolve' | 'sign' | 'retry' | 'address' | 'confirming' | 'done'
  readonly status?: readonly Status[]
  readonly attention?: 'true'
}

/** Ordered by the action they need. */
const stages: readonly Stage[] = [
  { name: 'resolve', attention: 'true' },
  { name: 'sign', status: ['requires_signature'] },
  { name: 'retry', status: ['failed'] },
  { name: 'address', status: ['requires_destination'] },
  { name: 'confirming', status: ['processing'] },
  { name: 'done', status: ['processed', 'canceled'] },
]

const SHOWN = 25
const SHOWN_DONE = 5

const Queue = () => {
  const result = useShopQuery(['refunds', 'queue'], async ({ merchantId, livemode, call }, signal) => {
    const read = async ({ name, status, attention }: Stage) => {
      const isDone = name === 'done'
      const page = await call(
        'listRefunds',
        {
          // What has waited longest comes first.
          ...{ merchantId, livemode, order: isDone ? 'desc' : 'asc', limit: isDone ? SHOWN_DONE : SHOWN },
          ...(status && { status }),
          ...(attention && { attention }),
        },
        { signal },
      )
      const rows = attention ? page.data : page.data.filter(each => !each.attention)
      return { name, rows, hasMore: page.has_more }
    }
    return Promise.all(stages.map(read))
  }).value
  return (
    <Result result={result} skeleton={<SkeletonRows rows={12} />}>
      {found =>
        found.every(({ rows }) => rows.length === 0) ? (
          <NoRefunds />
        ) : (
          found.map(each => <QueueStage key={each.name} {...each} />)
        )
      }
    </Result>
  )
}

type QueueStageProps = Pick<Stage, 'name'> & {
  readonly rows: readonly RefundWithAttention[]
  readonly hasMore: boolean
}

/** Stages without refunds are not shown, except the one for which people come here. */
const QueueStage = ({ name, rows, hasMore }: QueueStageProps) => {
  const texts = useRefundTexts()
  const address = useAddress()
  const whats: Partial<Record<Stage['name'], string>> = {
    resolve: texts.stages.resolveWhat,
    retry: texts.stages.retryWhat,
  }
  if (rows.length === 0 && name !== 'sign') return null
  const title = texts.stages[name]
  return (
    <Section
      title={title}
      aside={
        hasMore ? (
          <a href={`${address('refunds')}?${listOf[name]}`}>{name === 'done' ? texts.all : texts.more(rows.length)}</a>
        ) : (
          whats[name]
        )
      }
    >
      {rows.length === 0 ? <p class="quiet">{texts.stages.signNone}</p> : <RefundTable label={title} rows={rows} />}
    </Section>
  )
}

/** The list that has all refunds of a stage. */
const listOf: Readonly<Record<Stage['name'], string>> = {
  resolve: 'attention=true',
  sign: 'status=requires_signature',
  retry: 'status=failed',
  address: 'status=requires_destination',
  confirming: 'status=processing',
  done: 'view=all',
}

const NoRefunds = () => {
  const texts = useRefundTexts()
  const address = useAddress()
  return (
    <Empty
      title={texts.emptyTitle}
      action={
        <a class="button button--primary" href={address('payments')}>
          {texts.toPayments}
        </a>
      }
    >
      {texts.emptyWhat}
    </Empty>
  )
}
