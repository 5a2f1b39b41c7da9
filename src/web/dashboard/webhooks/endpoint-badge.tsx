import type { WebhookEndpoint } from '../../api/calls.ts'
import { Badge } from '../../parts/badge.tsx'
import { useWebhooksTexts } from './texts.ts'

/** Whether an endpoint gets events, and why not. */
export const EndpointBadge = ({ endpoint: { status, disabledReason } }: { readonly endpoint: WebhookEndpoint }) => {
  const texts = useWebhooksTexts()
  return (
    <>
      {status === 'enabled' ? (
        <Badge shape="done" tone="good">
          {texts.enabled}
        </Badge>
      ) : (
        <Badge shape="off">{texts.disabled}</Badge>
      )}
      {disabledReason !== null && <span class="what">{texts.reasons[disabledReason]}</span>}
    </>
  )
}
