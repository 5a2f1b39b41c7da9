import { listShape } from '../../fields/shape.ts'
import { eventRecord } from '../../records/event.ts'
import type { Docs } from './docs.ts'

export const listEventsDocs: Docs = {
  operation: 'listEvents',
  summary: 'List events',
  description:
    'Use this list if you do not use webhooks, or to find missed events: `order=asc` with the ID of the last processed event as `startingAfter` returns every later event exactly once. Keys without `billing:read` do not see events of customers; the IDs of such events are valid as `startingAfter`.',
  answers: { 200: listShape(eventRecord) },
}

export const getEventDocs: Docs = {
  operation: 'getEvent',
  summary: 'Retrieve an event',
  description: 'Returns the event as it was rendered when it occurred.',
  answers: { 200: eventRecord },
}
