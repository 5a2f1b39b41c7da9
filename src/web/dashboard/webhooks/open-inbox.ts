import type { WebhookDelivery, WebhookEndpoint } from '../../api/calls.ts'
import type { Session } from '../../api/session.ts'
import { afterNextAttempt } from '../deliveries/next-attempt.ts'

type Inbox = {
  readonly merchantId: string
  /** Undefined: there is none yet. */
  readonly existing: Pick<WebhookEndpoint, 'id'> | undefined
  readonly eventTypes: WebhookEndpoint['eventTypes']
}

/**
 * Sends a test event to the inbox of the shop, which is created if there is none. Returns after the first attempt to deliver
 * it, or after 20 seconds.
 */
export const openInbox = async (
  session: Session,
  { merchantId, existing, eventTypes }: Inbox,
): Promise<{ readonly id: string; readonly hasArrived: boolean }> => {
  const { id } =
    existing ?? (await session.call('createWebhookEndpoint', { merchantId, livemode: false, inbox: true, eventTypes }))
  const { attempts } = await sendTest(session, merchantId, id)
  return { id, hasArrived: attempts.some(({ outcome }) => outcome === 'delivered') }
}

/** Sends a test event, and returns its delivery after the first attempt, or as it is after 20 seconds. */
export const sendTest = async (session: Session, merchantId: string, endpointId: string): Promise<WebhookDelivery> =>
  afterNextAttempt(session, merchantId, await session.call('testWebhookEndpoint', { merchantId, id: endpointId }))
