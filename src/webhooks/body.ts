import type { Claimed } from '../queries/sending.ts'

/** What a receiver must be able to take. */
export const MOST_BODY_BYTES = 20_480

/**
 * The body of a delivery, the same bytes at every attempt: the event as `eventBody` has it, around the text that its
 * object was rendered to when it happened.
 */
export const bodyOf = ({ eventId, eventType, eventCreated, livemode, apiVersion, object }: BodyOf): string =>
  `{"id":"${eventId}","type":${JSON.stringify(eventType)},"created":${eventCreated},"livemode":${livemode},` +
  `"api_version":${JSON.stringify(apiVersion)},"data":{"object":${object}}}`

export type BodyOf = Pick<Claimed, 'eventId' | 'eventType' | 'eventCreated' | 'livemode' | 'apiVersion' | 'object'>
