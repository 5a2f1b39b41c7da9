import { useRoute } from 'preact-iso'
import { ShortHex } from '../../parts/address.tsx'
import { Moment } from '../../parts/moment.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useEndpoints } from '../deliveries/deliveries-page.tsx'
import { DeliveriesTable } from '../deliveries/deliveries-table.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Facts, RecordJson, Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { recordIn } from './event-record.ts'
import { useEventsTexts } from './texts.ts'

export const EventPage = () => {
  const { id = '' } = useRoute().params
  const texts = useEventsTexts()
  const address = useAddress()
  const result = useShopQuery(['events', 'one', id], ({ call, merchantId }, signal) =>
    call('getEvent', { merchantId, id }, { signal }),
  ).value
  return (
    <>
      <PageHead
        title={result.data?.type ?? texts.title}
        back={{ href: address('events'), label: texts.title }}
        lead={<ShortHex value={id} what={texts.id} />}
      />
      <Result result={result} skeleton={<SkeletonRows rows={8} />}>
        {event => {
          const { id: recordId, section } = recordIn(event)
          return (
            <>
              <Notified eventId={id} />
              <Section title={texts.details}>
                <Facts
                  facts={[
                    [texts.created, <Moment at={new Date(event.created * 1_000).toISOString()} />],
                    [
                      texts.record,
                      section === null ? <code>{recordId}</code> : <a href={address(section, recordId)}>{recordId}</a>,
                    ],
                    [texts.version, event.api_version],
                  ]}
                />
              </Section>
              <RecordJson record={event} />
            </>
          )
        }}
      </Result>
    </>
  )
}

/** The deliveries of an event: one for each endpoint that listed its type. */
const Notified = ({ eventId }: { readonly eventId: string }) => {
  const texts = useEventsTexts()
  const names = useEndpoints()
  const result = useShopQuery(['deliveries', 'event', eventId], ({ call, ...scope }, signal) =>
    call('listAllWebhookDeliveries', { ...scope, eventId, limit: 100 }, { signal }),
  ).value
  return (
    <Section title={texts.notified}>
      <Result result={result} skeleton={<SkeletonRows rows={3} />}>
        {({ data }) =>
          data.length === 0 ? <p class="quiet">{texts.noEndpoint}</p> : <DeliveriesTable rows={data} names={names} />
        }
      </Result>
    </Section>
  )
}
