import { type } from 'arktype'
import { shape } from '../../fields/shape.ts'
import { count } from '../../fields/wire.ts'
import { kindName } from '../ops-transition.ts'

const machine = () => ({
  object: "'machine'" as const,
  id: kindName(),
  kind: kindName(),
  version: count(),
  events: 'string[]' as const,
  states: type({
    state: 'string',
    final: 'boolean',
    driven: 'boolean',
    count: count(),
    dwellMs: type({ p50: count(), p95: count() }).or('null'),
  }).array(),
  edges: type({ from: 'string', to: 'string', events: 'string[]', count: count() }).array(),
})

const example = {
  object: 'machine',
  id: 'dispute',
  kind: 'dispute',
  version: 1,
  events: ['create', 'evidence_given', 'evidence_submitted', 'resolve', 'after.decision.dispute.under_review'],
  states: [
    { state: 'needs_response', final: false, driven: true, count: 2, dwellMs: { p50: 86_400_000, p95: 172_800_000 } },
    { state: 'under_review', final: false, driven: false, count: 1, dwellMs: null },
  ],
  edges: [{ from: 'needs_response', to: 'under_review', events: ['evidence_submitted'], count: 3 }],
}

const inside = {
  id: 'The same as `kind`.',
  kind: 'Machine: the type of its actors.',
  version: 'Version of the machine.',
  events: 'All events that its actors take, as in their histories. Those of timers begin with `after.`.',
  states: 'All states, in the order of the machine.',
  'states.state': 'Name of the state.',
  'states.final': 'Whether actors never leave the state.',
  'states.driven': 'Whether the chain, a timer or the server leaves the state, so that an actor can be stuck in it.',
  'states.count': 'Number of actors that are in the state now.',
  'states.dwellMs':
    'Durations of the stays that ended in the window, in milliseconds. Null if there was none, or the history does not record the beginning of stays.',
  'states.dwellMs.p50': 'Half of the stays were not longer, within 10 %.',
  'states.dwellMs.p95': '95 % of the stays were not longer, within 10 %.',
  edges: 'Transitions from one state to another. Those that stay in their state are in the definition.',
  'edges.from': 'State that the transition leaves.',
  'edges.to': 'State that the transition enters.',
  'edges.events': 'Events that cause the transition. Those of timers begin with `after.`.',
  'edges.count': 'Number of times in the window.',
}

export const opsMachine = shape({ name: 'Machine', type: () => type(machine()), example, inside })

export const opsMachineWithDefinition = shape({
  name: 'MachineWithDefinition',
  type: () => type({ ...machine(), definition: type({ '[string]': 'unknown' }) }),
  example: {
    ...example,
    definition: { id: 'dispute', initial: { target: 'needs_response', actions: [] }, states: { needs_response: {} } },
  },
  inside: {
    ...inside,
    definition:
      'The machine as a config of XState 5, with the names of guards, actions and delays. `createMachine(definition)` has the same states and transitions. The action `emit` publishes the event in its `params`.',
  },
})
