import { listShape } from '../../fields/shape.ts'
import { opsTransitionRecord, streamedTransitionRecord } from '../../records/ops-transition.ts'
import { actorPreview, foundActor, opsActor, stuckActor } from '../../records/shapes/ops-actor.ts'
import { opsMachine, opsMachineWithDefinition } from '../../records/shapes/ops-machine.ts'
import { storyStep } from '../../records/shapes/ops-story.ts'
import { opsTransitionPage } from '../../records/shapes/ops-transition-page.ts'
import type { Docs } from './docs.ts'

export const listMachinesDocs: Docs = {
  operation: 'listMachines',
  summary: 'List the state machines',
  description:
    'Every machine with its states and transitions, the number of actors in each state now, and how often and how fast actors moved on in the window.',
  answers: { 200: listShape(opsMachine) },
}

export const getMachineDocs: Docs = {
  operation: 'getMachine',
  summary: 'Retrieve a state machine',
  description: 'The machine as in the list, with its definition.',
  answers: { 200: opsMachineWithDefinition },
  refusals: ['resource_not_found'],
}

export const getActorDocs: Docs = {
  operation: 'getActor',
  summary: 'Retrieve an actor',
  description:
    'A payment, refund, payment link, dispute or delivery of any merchant, and why it waits: the events that it takes now, who sends them, and what their conditions say.',
  answers: { 200: opsActor },
}

export const searchActorsDocs: Docs = {
  operation: 'searchActors',
  summary: 'Search actors',
  description:
    'The actors of all merchants with this ID, event ID, reference, transaction hash or address; at most 100.',
  answers: { 200: listShape(foundActor) },
}

export const previewEventDocs: Docs = {
  operation: 'previewEvent',
  summary: 'Preview an event',
  description:
    'What an event would do to an actor now. Nothing is written, and any event of the machine can be previewed. If the machine does not take it, `details.possible` lists the events of the state.',
  answers: { 200: actorPreview },
  refusals: ['state_conflict'],
  fields: {
    type: 'Event of the machine, as in `possible` of the actor. Events of timers cannot be previewed.',
    payload: 'Fields of the event. Amounts on a chain are decimal strings, times ISO 8601 in UTC.',
  },
  example: { type: 'dismiss' },
}

export const sendEventDocs: Docs = {
  operation: 'sendEvent',
  summary: 'Send an event to an actor',
  description:
    'For a delivery `redeliver` and `cancel`; for a payment `dismiss`, and in test mode `end_window`; for a refund `dismiss`; for a payment link `deactivate`. The reason is in the audit log of the merchant and in the history of the actor. If the machine does not take the event, `details.possible` lists those of the state.',
  answers: { 200: opsActor },
  refusals: ['state_conflict'],
  fields: {
    type: 'Event that operators can send to this actor.',
    reason: 'Why you send it, for the people who read the history. Do not enter personal data.',
  },
  example: { type: 'dismiss', reason: 'The shop has refunded the customer in cash' },
}

export const listTransitionsDocs: Docs = {
  operation: 'listTransitions',
  summary: 'List transitions',
  description:
    'The transitions of all actors of all merchants, in the order of the feed. While a transaction is open in the database, the transitions that were committed after its beginning are left out.\n\nA page looks at 20,000 transitions at most, of the merchant if `merchantId` is given. If it is not full then, `has_more` is true and `continueAfter` is the place to go on from. With `actor`, or with `kind` and `state` alone, all transitions are looked at.',
  answers: { 200: opsTransitionPage },
}

export const streamTransitionsDocs: Docs = {
  operation: 'streamTransitions',
  summary: 'Stream transitions',
  description:
    'Sends server-sent events: `event: transition` with a transition as `data`, for every transition of the filters, of all merchants and both modes, in the order of the feed. Read the stream with `fetch`, which can send the `Authorization` header.\n\nThe stream begins now. With the ID of the last event in the `Last-Event-ID` header, it begins after this event, and each transition is sent once, also by another process or after a restart. An ID without data says how far the stream has looked: resume from the last ID of all. If the ID is malformed or is not known any more, the first event is `event: reset`, and the stream begins now: read again what you show.\n\nAbove 2,000 transitions a second the stream falls behind, and catches up later. A comment is sent every 15 seconds. The stream ends after one hour, when the session ends or loses its second factor, when the account is no operator any more, and when more than 1 MiB has not been read. A server process has at most 10 streams for a session (above that: 429), and 100 in total (above that: 503).',
  answers: { 200: { events: streamedTransitionRecord, event: 'transition' } },
}

export const listStuckDocs: Docs = {
  operation: 'listStuckActors',
  summary: 'List stuck actors',
  description:
    'Actors that stay for too long in a state that the chain, a timer or the server leaves; those for the longest time first, at most 100. If more are in one state for too long, those that have not changed for the longest time are listed. They are also logged, and counted in the metric `paymachine_actors_stuck`.',
  answers: { 200: listShape(stuckActor) },
}

export const listActorTransitionsDocs: Docs = {
  operation: 'listActorTransitions',
  summary: 'List the transitions of an actor',
  description: 'All changes of a payment, refund, payment link, dispute or delivery, oldest first. They never change.',
  answers: { 200: listShape(opsTransitionRecord) },
}

export const readActorStoryDocs: Docs = {
  operation: 'readActorStory',
  summary: 'Read the story of an actor',
  description:
    'All changes of an actor, oldest first, each with what led to it and what followed: the request, the command, the transfers, the public events, their deliveries and the attempts. What belongs to a change can still grow; the change itself never changes.',
  answers: { 200: listShape(storyStep) },
}
