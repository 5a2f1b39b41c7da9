import { changeShape } from '../../records/shapes/change.ts'
import type { Docs } from './docs.ts'

export const streamChangesDocs: Docs = {
  operation: 'streamChanges',
  summary: 'Stream changes',
  description:
    'Sends server-sent events: `event: change` with the object that has changed as `data`, for every change of a payment link, payment, refund, dispute, customer, invoice, credit note or webhook delivery in this mode. Several changes of an object that were committed together are one event. Read the stream with `fetch`, which can send the `Authorization` header.\n\nThe stream begins now. With the ID of the last event in the `Last-Event-ID` header, it begins after this event, and no change is left out; a change can be sent twice. If the ID is malformed or is not known any more, the first event is `event: reset`, and the stream begins now: read again what you show.\n\nA comment is sent every 15 seconds. The stream ends after one hour, when the session ends, when the account has another role or is no longer a member, and when more than 1 MiB has not been read. A server process has at most 10 streams for a session and 200 for a merchant (above that: 429), and 5,000 in total (above that: 503).',
  answers: { 200: { events: changeShape, event: 'change' } },
}
