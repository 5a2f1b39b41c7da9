import type { Event, WebhookDelivery } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { StateBadge } from '../../parts/state-strip.tsx'
import { useEndpoints } from '../deliveries/deliveries-page.tsx'
import { deliveryPath } from '../deliveries/delivery-state.ts'
import { useDeliveriesTexts } from '../deliveries/texts.ts'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { useEventsTexts } from './texts.ts'

type EventWithDeliveries = { readonly event: Event; readonly deliveries: readonly WebhookDelivery[] }

/** A record has few events; each is read with its deliveries. */
const MOST = 20

/** The events of a payment or a customer, newest first, and the webhook deliveries that they caused. */
export const RecordEvents = ({ id }: { readonly id: string }) => {
  const texts = useEventsTexts()
  const result = useShopQuery(
    ['events', 'record', id],
    async ({ call, ...scope }, signal): Promise<EventWithDeliveries[]> => {
      const { data } = await call('listEvents', { ...scope, objectId: id, limit: MOST }, { signal })
      return Promise.all(
        data.map(async event => {
          const deliveries = await call('listAllWebhookDeliveries', { ...scope, eventId: event.id }, { signal })
          return { event, deliveries: deliveries.data }
        }),
      )
    },
  ).value
  return (
    <Section title={texts.withWebhooks}>
      <Result result={result} skeleton={<SkeletonRows rows={3} />}>
        {events =>
          events.length === 0 ? (
            <p class="quiet">{texts.noEvents}</p>
          ) : (
            <ol class="timeline">
              {events.map(each => (
                <OneEvent key={each.event.id} {...each} />
              ))}
            </ol>
          )
        }
      </Result>
    </Section>
  )
}

const OneEvent = ({ event: { id, type, created }, deliveries }: EventWithDeliveries) => {
  const texts = useEventsTexts()
  const words = useDeliveriesTexts()
  const { formats } = useReader()
  const address = useAddress()
  const names = useEndpoints()
  const at = new Date(created * 1_000)
  return (
    <li>
      <StateMark shape="passed" />
      <div>
        <a href={address('events', id)}>{type}</a>
        {deliveries.length === 0 && <p>{texts.noEndpoint}</p>}
        {deliveries.map(delivery => (
          <p key={delivery.id} class="sub">
            <StateBadge path={deliveryPath(delivery, words)} />
            <a href={address('deliveries', delivery.id)}>{names.get(delivery.endpointId) ?? words.title}</a>
          </p>
        ))}
      </div>
      <time datetime={at.toISOString()}>{formats.exact(at)}</time>
    </li>
  )
}
