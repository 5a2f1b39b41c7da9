import { type } from 'arktype'
import { example, exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { count, time, timeOrNull } from '../../fields/wire.ts'
import { kindName } from '../ops-transition.ts'

const fields = () => type({ '[string]': 'unknown' })
const summary = () => ({ kind: kindName(), id: 'string' as const, state: 'string' as const })

const shared = {
  kind: 'Machine of the actor.',
  id: 'ID of the actor: a payment, a refund, a payment link, a dispute or a delivery.',
  state: 'State of the machine.',
}

export const foundActor = shape({
  name: 'FoundActor',
  type: () => type(summary()),
  example: { kind: 'payment', id: exampleId('payment'), state: 'processing' },
  inside: shared,
})

export const stuckActor = shape({
  name: 'StuckActor',
  type: () => type({ ...summary(), since: time(), reason: "'dwell' | 'no_exit' | 'timer_failing'" }),
  example: {
    kind: 'payment',
    id: exampleId('payment'),
    state: 'processing',
    since: example.at,
    reason: 'dwell',
  },
  inside: {
    ...shared,
    since: 'Time at which the actor entered the state.',
    reason:
      '`dwell`: it has been in the state for longer than 99.9 % of the at least 1,000 stays that ended in the last 30 days. `no_exit`: no timer is armed, no job is queued, and the machine takes no event that can be sent. `timer_failing`: the event of a timer has failed at least 3 times and is tried again.',
  },
})

export const opsActor = shape({
  name: 'Actor',
  type: () =>
    type({
      object: "'actor'",
      ...summary(),
      merchantId: 'string',
      livemode: 'boolean',
      rev: count(),
      machineVersion: count(),
      context: fields(),
      possible: type({
        event: 'string',
        by: "'customer' | 'chain' | 'merchant' | 'operator' | 'timer' | 'system'",
        operator: 'boolean',
        guards: type({ name: 'string', holds: 'boolean | null' }).array(),
      }).array(),
      timers: type({ name: 'string', dueAt: time() }).array(),
      jobs: type({
        id: 'string',
        task: 'string',
        runAt: time(),
        attempts: count(),
        lastError: 'string | null',
      }).array(),
      related: type({
        relation:
          "'payment_link' | 'payment' | 'refund' | 'dispute' | 'customer' | 'invoice' | 'credit_note' | 'document_series' | 'delivery' | 'subject'",
        ...summary(),
      }).array(),
      stuck: type({ since: time(), reason: "'dwell' | 'no_exit' | 'timer_failing'" }).or('null'),
      createdAt: time(),
      updatedAt: time(),
    }),
  example: {
    object: 'actor',
    id: exampleId('payment'),
    kind: 'payment',
    merchantId: exampleId('merchant'),
    livemode: false,
    state: 'processing',
    rev: 3,
    machineVersion: 1,
    context: { amountMinor: 4900, currency: 'EUR', amountReceived: '49000000' },
    possible: [
      { event: 'finalized', by: 'chain', operator: false, guards: [{ name: 'enoughFinal', holds: null }] },
      { event: 'dismiss', by: 'merchant', operator: true, guards: [{ name: 'needsAttention', holds: false }] },
    ],
    timers: [],
    jobs: [],
    related: [{ relation: 'payment_link', kind: 'payment_link', id: exampleId('payment_link'), state: 'active' }],
    stuck: null,
    createdAt: example.at,
    updatedAt: example.later,
  },
  inside: {
    ...shared,
    rev: 'Number of changes, including the creation.',
    machineVersion: 'Version of the machine that wrote the actor.',
    context: 'Facts of the actor, without personal data and metadata.',
    possible: 'Events that the machine takes in this state.',
    'possible.event': 'Event. Those of timers begin with `after.`.',
    'possible.by': 'Who sends the event. `timer` includes the end of a payment window.',
    'possible.operator': 'Whether you can send it with `POST /v1/ops/actors/:id/events`.',
    'possible.guards':
      'Conditions of the event, evaluated for this actor now. At least one of its transitions must be allowed.',
    'possible.guards.name': 'Name of the guard in the machine.',
    'possible.guards.holds': 'Whether it holds. Null if that depends on the content of the event.',
    timers: 'Timers that are armed.',
    'timers.name': 'Delay, machine and state of the timer.',
    'timers.dueAt': 'Time at which it fires.',
    jobs: 'Jobs that are queued for the actor.',
    'jobs.id': 'ID of the job.',
    'jobs.task': 'Name of the task.',
    'jobs.runAt': 'Time from which it runs.',
    'jobs.attempts': 'Number of attempts so far.',
    'jobs.lastError': 'Error of the last attempt, without addresses and quoted values. Null if there was none.',
    related: 'Actors that it belongs to or that belong to it, and deliveries of its events; at most 50 of each.',
    'related.relation': 'What the other actor is to this one. `subject`: the actor that the delivered event is about.',
    'related.kind': shared.kind,
    'related.id': shared.id,
    'related.state': shared.state,
    stuck: 'Why the actor counts as stuck. Null if it does not.',
    'stuck.since': 'Time at which it entered the state.',
    'stuck.reason': '`dwell`, `no_exit` or `timer_failing`: see the list of stuck actors.',
  },
})

export const actorPreview = shape({
  name: 'ActorPreview',
  type: () =>
    type({
      state: 'string',
      context: fields(),
      events: 'string[]',
      timers: type({ name: 'string', dueAt: timeOrNull() }).array(),
      jobs: type({ task: 'string', runAt: timeOrNull() }).array(),
    }),
  example: {
    state: 'success',
    context: { amountMinor: 4900, currency: 'EUR', amountReceived: '49000000' },
    events: ['payment.succeeded'],
    timers: [],
    jobs: [],
  },
  inside: {
    state: 'State after the event.',
    context: 'Facts of the actor after the event, without personal data and metadata.',
    events: 'Types of the public events that would be published.',
    timers: 'Timers that would change.',
    'timers.name': 'Delay, machine and state of the timer.',
    'timers.dueAt': 'Time at which it would fire. Null if it would be canceled.',
    jobs: 'Jobs that would be queued.',
    'jobs.task': 'Name of the task.',
    'jobs.runAt': 'Time from which it would run. Null: immediately.',
  },
})
