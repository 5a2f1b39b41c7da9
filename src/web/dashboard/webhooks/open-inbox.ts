import type { WebhookEndpoint } from '../../api/calls.ts'
import type { Session } from '../../api/session.ts'

const PATIENCE_MS = 10_000
const PAUSE_MS = 300

type Inbox = {
  readonly merchantId: string
  /** Undefined: there is none yet. */
  readonly existing: Pick<WebhookEndpoint, 'id'> | undefined
  readonly eventTypes: WebhookEndpoint['eventTypes']
}

/**
 * Sends a test event to the inbox of the shop, which is created if there is none. Returns after the first attempt to deliver
 * it, or after ten seconds.
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

/** Sends a test event, and returns its delivery after the first attempt, or as it is after ten seconds. */
export const sendTest = async (session: Session, merchantId: string, endpointId: string) => {
  let delivery = await session.call('testWebhookEndpoint', { merchantId, id: endpointId })
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
    if (delivery.attempts.some(({ outcome }) => outcome !== null)) break
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    delivery = await session.call('getWebhookDelivery', { merchantId, id: delivery.id })
  }
  return delivery
}
