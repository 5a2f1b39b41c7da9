import type { Event } from '../../api/calls.ts'

const sections = {
  payment: 'payments',
  refund: 'refunds',
  dispute: 'disputes',
  webhook_endpoint: 'webhooks',
  customer: 'customers',
  invoice: 'invoices',
  credit_note: 'credit-notes',
  subscription: 'subscriptions',
} as const satisfies Record<Event['data']['object']['object'], string | null>

/** The record that an event is about, and the section of its page; null if it has none. */
export const recordIn = ({ data: { object } }: Event) => ({ id: object.id, section: sections[object.object] })
