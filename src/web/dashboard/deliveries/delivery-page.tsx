import { useRoute } from 'preact-iso'
import type { WebhookDelivery } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { StateBadge, StateStrip } from '../../parts/state-strip.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { shownFailure } from '../shell/failure.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useRefresh, useShopQuery } from '../shell/queries.ts'
import { Facts, RecordJson, Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { useEndpoints } from './deliveries-page.tsx'
import { deliveryPath } from './delivery-state.ts'
import { afterNextAttempt } from './next-attempt.ts'
import { useDeliveriesTexts } from './texts.ts'

export const DeliveryPage = () => {
  const { id = '' } = useRoute().params
  const texts = useDeliveriesTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const canWrite = useCanWrite()
  const address = useAddress()
  const refresh = useRefresh()
  const action = useAction()
  const result = useShopQuery(['deliveries', 'one', id], ({ call, merchantId }, signal) =>
    call('getWebhookDelivery', { merchantId, id }, { signal }),
  ).value
  const delivery = result.data
  const again = () =>
    void action.run(async () => {
      try {
        const asked = await session.call('redeliverWebhookDelivery', { merchantId, id })
        showToast(texts.againDone)
        await refresh('deliveries')
        await afterNextAttempt(session, merchantId, asked)
      } finally {
        await refresh('deliveries')
      }
    })
  return (
    <>
      <PageHead
        title={delivery ? texts.one(delivery.eventType) : texts.title}
        back={{ href: address('deliveries'), label: texts.back }}
        lead={
          <span class="sub">
            {delivery && <StateBadge path={deliveryPath(delivery, texts)} />}
            <ShortHex value={id} what={texts.id} />
          </span>
        }
        actions={
          canWrite &&
          delivery && (
            <button type="button" class="button" aria-disabled={action.isRunning} onClick={again}>
              {texts.again}
            </button>
          )
        }
      />
      <OwnersNote />
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {found => <OneDelivery delivery={found} />}
      </Result>
    </>
  )
}

type DeliveryProps = { readonly delivery: WebhookDelivery }

const OneDelivery = ({ delivery }: DeliveryProps) => {
  const texts = useDeliveriesTexts()
  const { formats, now } = useReader()
  const address = useAddress()
  const path = deliveryPath(delivery, texts)
  const name = useEndpoints().get(delivery.endpointId)
  const { id, eventId, eventType, endpointId, createdAt, nextAttemptAt } = delivery
  const notes = path.words.map((_, n) =>
    n === path.at && nextAttemptAt !== null
      ? `${texts.nextTry}: ${formats.relative(nextAttemptAt, now.value)}`
      : undefined,
  )
  return (
    <>
      <div class="band">
        <StateStrip label={texts.state} path={path} notes={notes} />
      </div>
      <div class="split">
        <div>
          <Section title={texts.attempts}>
            {delivery.attempts.length === 0 && <p class="quiet">{texts.noAttempt}</p>}
            <ol class="attempts">
              {delivery.attempts.toReversed().map((attempt, n) => (
                <li key={attempt.number}>
                  <Attempt attempt={attempt} isLast={n === 0} />
                </li>
              ))}
            </ol>
          </Section>
          <RecordJson record={delivery} />
        </div>
        <Section title={texts.details}>
          <Facts
            facts={[
              [
                texts.endpoint,
                name === undefined ? <code>{endpointId}</code> : <a href={address('webhooks', endpointId)}>{name}</a>,
              ],
              [texts.event, <a href={address('events', eventId)}>{eventType}</a>],
              [
                texts.eventId,
                <>
                  <code>{eventId}</code> <CopyButton value={eventId} what={texts.eventId} />
                </>,
              ],
              [
                texts.id,
                <>
                  <code>{id}</code> <CopyButton value={id} what={texts.id} />
                </>,
              ],
              [texts.created, <Moment at={createdAt} />],
              [texts.nextTry, nextAttemptAt !== null && <Moment at={nextAttemptAt} />],
            ]}
          />
        </Section>
      </div>
    </>
  )
}

type AttemptProps = { readonly attempt: WebhookDelivery['attempts'][number]; readonly isLast: boolean }

/** The result in one line; the request and the answer below it, open for the last one if it failed. */
const Attempt = ({ attempt, isLast }: AttemptProps) => {
  const texts = useDeliveriesTexts()
  const { formats } = useReader()
  const { number, trigger, startedAt, outcome, httpStatus, durationMs, responseSnippet } = attempt
  const isGood = outcome === 'delivered'
  const answer =
    httpStatus !== null && durationMs !== null ? texts.answeredIn(httpStatus, formats.count(durationMs)) : undefined
  return (
    <details
      class="attempt"
      open={isLast && outcome !== null && !isGood}
      data-tone={outcome === null ? 'info' : isGood ? 'good' : 'bad'}
    >
      <summary>
        <StateMark shape={outcome === null ? 'now' : isGood ? 'done' : 'bad'} />
        <b>{texts.attempt(formats.count(number))}</b>
        <span>{outcome === null ? texts.running : texts.outcomes[outcome]}</span>
        <span class="quiet">
          {[answer, trigger === 'manual' && texts.manual, formats.exact(startedAt)].filter(Boolean).join(' · ')}
        </span>
      </summary>
      <h3>{texts.headers}</h3>
      <Headers headers={attempt.requestHeaders} label={texts.headers} />
      {attempt.responseHeaders && (
        <>
          <h3>{texts.responseHeaders}</h3>
          <Headers headers={attempt.responseHeaders} label={texts.responseHeaders} />
          <h3>{texts.response}</h3>
          {responseSnippet ? (
            <>
              <CodeBlock text={responseSnippet} label={texts.response} />
              <p class="quiet">{texts.kept}</p>
            </>
          ) : (
            <p class="quiet">{texts.emptyBody}</p>
          )}
        </>
      )}
    </details>
  )
}

type HeadersProps = { readonly headers: Readonly<Record<string, string>> | null; readonly label: string }

const Headers = ({ headers, label }: HeadersProps) => {
  const texts = useDeliveriesTexts()
  if (headers === null) return <p class="quiet">{texts.notSent}</p>
  return (
    <CodeBlock
      text={Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n')}
      label={label}
    />
  )
}
