import { expect, test } from 'bun:test'
import { explainEvents } from '../../src/actors/explain.ts'
import { everyActor, subjects } from './subjects.ts'

test.each(subjects.map(({ kind, subject }) => [kind.name, kind, subject] as const))(
  'the events of %s are explained in every situation, and those that the machine takes are open',
  (_, kind, subject) => {
    let open = 0
    for (const actor of everyActor(kind, subject)) {
      const explained = explainEvents(kind, actor, new Date('2026-11-20T12:00:00.000Z'))
      const node = kind.machine.states[actor.state]
      expect(explained.map(({ event }) => event)).toEqual(
        [...(node?.transitions.keys() ?? [])].map(event => event.replace(/^xstate\./, '')),
      )
      open += explained.filter(({ isOpen }) => isOpen).length
    }
    // A credit note never changes.
    expect(open > 0).toBe(kind.machine.events.length > 0)
  },
)
