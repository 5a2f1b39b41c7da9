import type { WebhookDelivery } from '../../api/calls.ts'
import type { StatePath } from '../../parts/state-strip.tsx'
import type { DeliveriesTexts } from './texts.ts'

/** The path of a delivery: waiting, sending, delivered. */
export const deliveryPath = ({ status, attempts }: WebhookDelivery, texts: DeliveriesTexts): StatePath => {
  const { statuses } = texts
  const words = [statuses.pending, texts.sending, statuses.delivered]
  if (status === 'delivered') return { words, at: 2, shape: 'done', tone: 'good' }
  if (status === 'failed') return { words, at: 1, word: statuses.failed, shape: 'bad', tone: 'bad' }
  if (status === 'canceled') return { words, at: 0, word: statuses.canceled, shape: 'off', tone: 'quiet' }
  if (attempts.some(({ outcome }) => outcome === null)) return { words, at: 1, tone: 'info' }
  return attempts.length > 0 ? { words, at: 0, word: texts.retrying, shape: 'warn', tone: 'warn' } : { words, at: 0 }
}

/** Whether an attempt has failed, of a delivery that is still pending. */
export const isRetried = ({ status, attempts }: WebhookDelivery): boolean =>
  status === 'pending' && attempts.some(({ outcome }) => outcome !== null)
