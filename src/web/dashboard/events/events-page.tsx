import type { Event } from '../../api/calls.ts'
import { Empty } from '../../parts/empty.tsx'
import { Moment } from '../../parts/moment.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { useDeliveredTypes } from '../event-types/texts.ts'
import { Pick, PickToggle, useAddressQuery } from '../shell/filters.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { NothingMatches, PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { recordIn } from './event-record.ts'
import { useEventsTexts } from './texts.ts'

export const EventsPage = () => {
  const texts = useEventsTexts()
  const { list, nav } = useTexts()
  const query = useAddressQuery()
  const address = useAddress()
  const position = usePosition()
  const types = useDeliveredTypes()
  const type = types.find(each => each === query.get('type'))
  const objectId = query.get('record')
  const result = useShopQuery(['events', { type, objectId, ...position }], ({ call, ...scope }, signal) =>
    readListPage<Event>(position, page =>
      call(
        'listEvents',
        { ...{ ...scope, ...page }, ...(type && { type }), ...(objectId !== undefined && { objectId }) },
        { signal },
      ),
    ),
  ).value
  return (
    <>
      <PageHead title={texts.title} lead={texts.what} />
      <div class="filters">
        <Pick
          label={texts.type}
          all={list.all}
          value={type ?? ''}
          options={types.map(each => [each, each])}
          onPick={value => query.filter({ type: value })}
        />
        {objectId !== undefined && (
          <PickToggle isOn onToggle={() => query.filter({ record: undefined })}>
            {texts.ofRecord}
          </PickToggle>
        )}
      </div>
      <Result result={result} skeleton={<SkeletonRows rows={12} />}>
        {page =>
          page.rows.length > 0 ? (
            <>
              <EventsTable rows={page.rows} />
              <PageLinks {...page} />
            </>
          ) : type === undefined && objectId === undefined ? (
            <Empty
              title={texts.emptyTitle}
              action={
                <a class="button" href={address('links')}>
                  {nav.links}
                </a>
              }
            >
              {texts.emptyWhat}
            </Empty>
          ) : (
            <NothingMatches section="events" />
          )
        }
      </Result>
    </>
  )
}

const EventsTable = ({ rows }: { readonly rows: readonly Event[] }) => {
  const texts = useEventsTexts()
  const address = useAddress()
  const columns: readonly TableColumn<Event>[] = [
    {
      key: 'type',
      head: texts.type,
      card: 1,
      cell: ({ id, type }) => (
        <a class="open clip" href={address('events', id)}>
          {type}
        </a>
      ),
    },
    {
      key: 'record',
      head: texts.record,
      card: 3,
      cell: event => <code class="clip">{recordIn(event).id}</code>,
    },
    {
      key: 'created',
      head: texts.created,
      card: 2,
      end: true,
      cell: ({ created }) => <Moment at={new Date(created * 1_000).toISOString()} short />,
    },
  ]
  return <Table label={texts.list} columns={columns} rows={rows} keyOf={({ id }) => id} />
}
