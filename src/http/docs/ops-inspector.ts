import { type } from 'arktype'
import { shape } from '../../fields/shape.ts'
import type { Docs } from './docs.ts'

const ticketShape = shape({
  name: 'InspectorTicket',
  type: () => type({ ticket: 'string', expiresIn: '60' }),
  example: { ticket: 'q7mB…', expiresIn: 60 },
  inside: {
    ticket: 'Sent in the query of `GET /v1/ops/inspect`. It opens one WebSocket.',
    expiresIn: 'Seconds for which the ticket is valid.',
  },
})

export const createTicketDocs: Docs = {
  operation: 'createInspectorTicket',
  summary: 'Create a ticket for the inspector',
  description: 'A browser cannot send an access token with the request that opens a WebSocket.',
  answers: { 201: ticketShape },
}

export const inspectDocs: Docs = {
  operation: 'inspect',
  summary: 'Inspect state machines over a WebSocket',
  description:
    'Opens a WebSocket that sends the messages of the package `@statelyai/inspect` 0.7: first an `@xstate.actor` for each actor, the newest first and at most 10,000, then an `@xstate.event` and an `@xstate.snapshot` for each transition. An actor that was not among the first is introduced by an `@xstate.actor` with its first transition. The context has the fields that histories show. `definition` is the machine as JSON, for `createMachine`. Messages of the client are ignored. A client that is 1,000 messages behind is closed with 1013; one whose session has ended with 1008; all with 1001 when the server stops.',
  answers: { 101: null },
  refusals: ['service_unavailable'],
}
