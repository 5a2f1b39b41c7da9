import type { EventRow } from '../queries/events.ts'

/** The body of a webhook delivery: exactly these fields. */
export const eventBody = ({ id, type, createdAt, livemode, apiVersion, object }: EventRow) => ({
  id,
  type,
  created: Math.floor(createdAt.getTime() / 1_000),
  livemode,
  api_version: apiVersion,
  data: { object },
})

/** An event in a list. */
export const eventRecord = (event: EventRow) => ({ object: 'event', ...eventBody(event) })
