import type { Claimed } from '../queries/sending.ts'

/** The largest body that is sent. */
export const MAX_BODY_BYTES = 20_480

/**
 * The body of a delivery, with the same bytes at every attempt: the event as in `eventBody`, with the object as it was
 * rendered when the event occurred.
 */
export const bodyOf = ({ eventId, eventType, eventCreated, livemode, apiVersion, object }: BodyOf): string =>
  `{"id":"${eventId}","type":${JSON.stringify(eventType)},"created":${eventCreated},"livemode":${livemode},` +
  `"api_version":${JSON.stringify(apiVersion)},"data":{"object":${object}}}`

export type BodyOf = Pick<Claimed, 'eventId' | 'eventType' | 'eventCreated' | 'livemode' | 'apiVersion' | 'object'>
