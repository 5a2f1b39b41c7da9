import type { WebhookDelivery } from '../../api/calls.ts'
import type { Session } from '../../api/session.ts'

/** An endpoint may take 15 seconds to answer. */
const PATIENCE_MS = 20_000
const PAUSE_MS = 300

/**
 * Waits for the attempt that was asked for, with or without the event stream. Returns the delivery when the attempt has
 * ended, or as it is after 20 seconds.
 */
export const afterNextAttempt = async (
  session: Session,
  merchantId: string,
  asked: WebhookDelivery,
): Promise<WebhookDelivery> => {
  let delivery = asked
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
    if (delivery.status !== 'pending' || lastEnded(delivery) > lastEnded(asked)) break
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    delivery = await session.call('getWebhookDelivery', { merchantId, id: delivery.id })
  }
  return delivery
}

/** The number of the last attempt that has ended. */
const lastEnded = ({ attempts }: WebhookDelivery): number =>
  attempts.findLast(({ outcome }) => outcome !== null)?.number ?? 0
