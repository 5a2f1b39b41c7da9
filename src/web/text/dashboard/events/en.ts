/** The texts of events. */
export const eventsEn = {
  title: 'Events',
  what: 'What happened to the records of the shop, in order. Webhooks deliver the same.',
  list: 'Events, newest first',
  type: 'Type',
  record: 'Record',
  id: 'Event ID',
  created: 'Created',
  ofRecord: 'One record',
  emptyTitle: 'No events yet',
  emptyWhat: 'The first event happens when a customer opens one of your payment links.',
  notified: 'Who was notified',
  noEndpoint: 'No webhook endpoint was subscribed to this event type.',
  details: 'Details',
  version: 'API version',
  withWebhooks: 'Events and webhooks',
  noEvents: 'No event yet.',
}
