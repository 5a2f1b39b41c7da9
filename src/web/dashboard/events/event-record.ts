import type { Event } from '../../api/calls.ts'

/** The record that an event is about, and its page, if it has one. */
export const recordIn = ({ data: { object } }: Event): { readonly id: string; readonly page: string[] | undefined } => {
  const { id } = object
  if (object.object === 'payment') return { id, page: ['payments', id] }
  if (object.object === 'webhook_endpoint') return { id, page: ['webhooks', id] }
  // Refunds and disputes are shown with their payment.
  return { id, page: ['payments', object.paymentId] }
}
