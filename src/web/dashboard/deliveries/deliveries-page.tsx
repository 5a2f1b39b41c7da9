import type { WebhookDelivery } from '../../api/calls.ts'
import { Empty } from '../../parts/empty.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useDeliveredTypes } from '../event-types/texts.ts'
import { Pick, PickToggle, useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { NothingMatches, PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { DeliveriesTable } from './deliveries-table.tsx'
import { isRetried } from './delivery-state.ts'
import { nameOfEndpoint } from './endpoint-name.ts'
import { useDeliveriesTexts } from './texts.ts'

/** A select is as wide as its longest option. */
const MOST_CHARACTERS = 32

const statuses = ['pending', 'delivered', 'failed', 'canceled'] as const

export const DeliveriesPage = () => {
  const texts = useDeliveriesTexts()
  const { list } = useTexts()
  const query = useAddressQuery()
  const address = useAddress()
  const position = usePosition()
  const types = useDeliveredTypes()
  const status = statuses.find(each => each === query.get('status'))
  const eventType = types.find(each => each === query.get('type'))
  const [endpointId, eventId] = [query.get('endpoint'), query.get('event')]
  const isFiltered = [status, eventType, endpointId, eventId].some(each => each !== undefined)
  const endpoints = useEndpoints()
  const result = useShopQuery(
    ['deliveries', { status, eventType, endpointId, eventId, ...position }],
    ({ call, ...scope }, signal) =>
      readListPage<WebhookDelivery>(position, page =>
        call(
          'listAllWebhookDeliveries',
          {
            ...{ ...scope, ...page },
            ...(status && { status }),
            ...(eventType && { eventType }),
            ...(endpointId !== undefined && { endpointId }),
            ...(eventId !== undefined && { eventId }),
          },
          { signal },
        ),
      ),
  ).value
  return (
    <>
      <PageHead title={texts.title} lead={texts.what} back={{ href: address('webhooks'), label: texts.toEndpoints }} />
      <OwnersNote />
      <div class="filters">
        <Pick
          label={texts.status}
          all={list.all}
          value={status ?? ''}
          options={statuses.map(each => [each, each === 'pending' ? texts.notEnded : texts.statuses[each]])}
          onPick={value => query.filter({ status: value })}
        />
        <Pick
          label={texts.event}
          all={list.all}
          value={eventType ?? ''}
          options={types.map(each => [each, each])}
          onPick={value => query.filter({ type: value })}
        />
        <Pick
          label={texts.endpoint}
          all={list.all}
          value={endpointId ?? ''}
          options={[...endpoints].map(([id, name]) => [id, name.slice(0, MOST_CHARACTERS)])}
          onPick={value => query.filter({ endpoint: value })}
        />
        {eventId !== undefined && (
          <PickToggle isOn onToggle={() => query.filter({ event: undefined })}>
            {texts.ofEvent}
          </PickToggle>
        )}
      </div>
      {status === 'failed' && <FailingNow endpointId={endpointId} />}
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {page =>
          page.rows.length > 0 ? (
            <>
              <DeliveriesTable rows={page.rows} names={endpoints} />
              <PageLinks {...page} />
            </>
          ) : isFiltered ? (
            <NothingMatches section="deliveries" />
          ) : (
            <Empty
              title={texts.emptyTitle}
              action={
                <a class="button" href={address('webhooks')}>
                  {texts.toEndpoints}
                </a>
              }
            >
              {texts.emptyWhat}
            </Empty>
          )
        }
      </Result>
    </>
  )
}

/** A delivery has failed after its last attempt only: this leads to those that are tried again. */
const FailingNow = ({ endpointId }: { readonly endpointId: string | undefined }) => {
  const texts = useDeliveriesTexts()
  const { formats } = useReader()
  const { addressWith } = useAddressQuery()
  const { data } = useShopQuery(['deliveries', 'failing', endpointId], ({ call, ...scope }, signal) =>
    call(
      'listAllWebhookDeliveries',
      { ...scope, status: 'pending', limit: 100, ...(endpointId !== undefined && { endpointId }) },
      { signal },
    ),
  ).value
  const count = data?.data.filter(isRetried).length ?? 0
  if (count === 0) return null
  return (
    <div class="notice">
      <NoteBox
        tone="warn"
        title={texts.failingNow(`${formats.count(count)}${data?.has_more ? '+' : ''}`)}
        actions={
          <a
            class="button button--small"
            href={addressWith({ status: 'pending', after: undefined, before: undefined })}
          >
            {texts.showFailing}
          </a>
        }
      >
        {texts.failingNowWhat}
      </NoteBox>
    </div>
  )
}

/** What the shop's endpoints are called: their URLs without the protocol. */
export const useEndpoints = (): ReadonlyMap<string, string> => {
  const texts = useDeliveriesTexts()
  const { data } = useShopQuery(['webhooks', 'names'], ({ call, ...scope }, signal) =>
    call('listWebhookEndpoints', { ...scope, limit: 100 }, { signal }),
  ).value
  return new Map(data?.data.map(each => [each.id, nameOfEndpoint(each, texts.inbox)]))
}
