import { eventShape } from '../../records/shapes/event.ts'
import { listShape } from '../../records/shapes/shape.ts'
import type { Docs } from '../openapi/docs.ts'

export const listEvents: Docs = {
  operation: 'listEvents',
  summary: 'List events',
  description:
    'The fallback for webhooks: `order=asc` with the id of the last event you have seen as `startingAfter` reads every later one, once.',
  answers: { 200: listShape(eventShape) },
}

export const getEvent: Docs = {
  operation: 'getEvent',
  summary: 'Read an event',
  description: 'As it was rendered when it happened.',
  answers: { 200: eventShape },
}
