import type { WebhookEndpoint } from '../../api/calls.ts'
import { Badge } from '../../parts/badge.tsx'
import { useReader } from '../../parts/reader.ts'
import { type EndpointHealth, healthOf } from '../deliveries/endpoint-health.ts'
import { useDeliveriesTexts } from '../deliveries/texts.ts'
import { useShopQuery } from '../shell/queries.ts'
import { useWebhooksTexts } from './texts.ts'

const LATEST = 10

/** The latest deliveries of an endpoint. */
export const useLatestDeliveries = (id: string) =>
  useShopQuery(['deliveries', 'endpoint', id], ({ call, merchantId }, signal) =>
    call('listWebhookDeliveries', { merchantId, id, limit: LATEST }, { signal }),
  ).value

type EndpointProps = { readonly endpoint: WebhookEndpoint }

const useHealth = ({ id }: WebhookEndpoint): EndpointHealth => healthOf(useLatestDeliveries(id).data?.data ?? [])

/** In the list of endpoints: whether it gets events. */
export const EndpointState = ({ endpoint }: EndpointProps) => {
  const texts = useWebhooksTexts()
  const health = useHealth(endpoint)
  if (endpoint.status === 'disabled') return <Badge shape="off">{texts.disabled}</Badge>
  if (health.state === 'retrying' || health.state === 'failing') return <HealthBadge health={health} />
  return (
    <Badge shape="done" tone="good">
      {texts.enabled}
    </Badge>
  )
}

/** Below its name: why it is disabled, or since when and why its deliveries fail. */
export const EndpointProblem = ({ endpoint }: EndpointProps) => {
  const texts = useWebhooksTexts()
  const failing = useFailingText(useHealth(endpoint))
  const { disabledReason } = endpoint
  const text = disabledReason === null ? failing : texts.reasons[disabledReason]
  return text === undefined ? null : <span class="table__under">{text}</span>
}

/** Undefined if nothing fails. */
export const useFailingText = (health: EndpointHealth): string | undefined => {
  const texts = useWebhooksTexts()
  const { outcomes } = useDeliveriesTexts()
  const { formats, now } = useReader()
  if (health.state === 'unused' || health.state === 'healthy' || health.last.outcome === null) return undefined
  const { outcome, httpStatus } = health.last
  const why = outcomes[outcome] + (httpStatus === null ? '' : ` (${httpStatus})`)
  return texts.failingSince(formats.listed(health.since, now.value), why)
}

export const HealthBadge = ({ health: { state } }: { readonly health: EndpointHealth }) => {
  const texts = useWebhooksTexts()
  if (state === 'unused') return texts.unused
  const [shape, tone] = looks[state]
  return (
    <Badge shape={shape} tone={tone}>
      {texts[state]}
    </Badge>
  )
}

const looks = { healthy: ['done', 'good'], retrying: ['warn', 'warn'], failing: ['bad', 'bad'] } as const
