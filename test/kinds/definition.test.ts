import { expect, test } from 'bun:test'
import { type AnyStateNode, createMachine } from 'xstate'
import { kinds } from '../../src/kinds/all.ts'
import { arrowsOf, definitionOf, eventsOf, uncountedStates } from '../../src/kinds/definition.ts'

type Machine = (typeof kinds)[number]['machine']

const nameOf = (reference: unknown): unknown => (typeof reference === 'string' ? reference : Object(reference).type)

/** The public events of a transition, and its other actions. XState adds those that start and cancel timers. */
const actionsOf = (actions: readonly unknown[]): readonly string[] =>
  actions.flatMap(action => {
    const { type = action, event, params } = Object(action)
    if (type === 'xstate.raise' || type === 'xstate.cancel') return []
    return type === 'xstate.emit' || type === 'emit'
      ? [`emit ${(event ?? params)?.event ?? event?.type}`]
      : [String(type)]
  })

/** Everything that decides which state follows: one line for each transition, in the order in which they are tried. */
const graphOf = (machine: Machine): readonly string[] =>
  (Object.values(machine.states) as AnyStateNode[]).flatMap(node => [
    `${node.key} ${node.type} ${actionsOf(node.entry)} ${actionsOf(node.exit)}`,
    ...[...node.transitions].flatMap(([event, transitions]) =>
      transitions.map(
        ({ target, guard, reenter, actions }) =>
          `${node.key} ${event.replace(machine.id, 'ID')} [${guard === undefined ? '' : nameOf(guard)}] ${target?.[0]?.key ?? '-'} ${target ? reenter : ''} ${actionsOf(actions)}`,
      ),
    ),
  ])

test.each(kinds.map(kind => [kind.name, kind] as const))(
  'the definition of %s is JSON from which XState makes the same states and transitions',
  (_, kind) => {
    const definition = definitionOf(kind)
    const read = JSON.parse(JSON.stringify(definition))
    expect(read).toEqual(definition as never)
    const made = createMachine(read)
    expect(graphOf(made)).toEqual(graphOf(kind.machine))
    expect(made.root.initial.target[0]?.key).toBe(kind.machine.root.initial.target[0]?.key)
  },
)

test('transitions between the same two states are one arrow: the machine of payments has 77 transitions and 10 arrows', () => {
  const payment = kinds.find(({ name }) => name === 'payment')
  if (!payment) throw new Error('no payment')
  const nodes = Object.values(payment.machine.states) as AnyStateNode[]
  expect(nodes.flatMap(node => [...node.transitions.values()].flat())).toHaveLength(77)
  expect(arrowsOf(payment).map(({ from, to }) => `${from} ${to}`)).toHaveLength(10)
  expect(arrowsOf(payment)).toContainEqual({ from: 'pending', to: 'processing', events: ['enough_seen'] })
})

test('an arrow of a timer has its name in the history', () => {
  const dispute = kinds.find(({ name }) => name === 'dispute')
  if (!dispute) throw new Error('no dispute')
  expect(arrowsOf(dispute)).toContainEqual({
    from: 'under_review',
    to: 'won',
    events: ['resolve', 'after.decision.dispute.under_review'],
  })
})

test('the events of a machine are those that its histories may contain', () => {
  const dispute = kinds.find(({ name }) => name === 'dispute')
  if (!dispute) throw new Error('no dispute')
  expect([...eventsOf(dispute)].sort()).toEqual(
    [
      ...['create', 'evidence_given', 'evidence_submitted', 'resolve'],
      ...['after.decision.dispute.under_review', 'after.evidenceDue.dispute.needs_response'],
    ].sort(),
  )
})

test('only states of deliveries cannot be counted from the history', () => {
  expect(kinds.map(kind => [kind.name, uncountedStates(kind)])).toEqual(
    kinds.map(({ name }) => [name, name === 'delivery' ? ['pending', 'sending'] : []]),
  )
})
