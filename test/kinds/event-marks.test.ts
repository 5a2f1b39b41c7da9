import { describe, expect, test } from 'bun:test'
import type { AnyStateNode } from 'xstate'
import { kinds } from '../../src/kinds/all.ts'
import { drivenStates, eventMarks, isForOperators, markOf } from '../../src/kinds/event-marks.ts'
import { machineNames } from '../../src/resources.ts'

const eventsOf = (name: string): readonly string[] => {
  const machine = kinds.find(kind => kind.name === name)?.machine
  const nodes = Object.values(machine?.states ?? {}) as AnyStateNode[]
  return [...new Set(nodes.flatMap(node => [...node.transitions.keys()]))]
}

describe.each(machineNames.map(name => [name]))('the machine of %s', name => {
  test('takes no event without a mark, and no mark is for another event', () => {
    expect(eventsOf(name).filter(event => markOf(name, event) === undefined)).toEqual([])
    expect(Object.keys(eventMarks[name]).filter(event => !eventsOf(name).includes(event))).toEqual([])
  })

  test('has the states that are marked as driven', () => {
    const states = Object.keys(kinds.find(kind => kind.name === name)?.machine.states ?? {})
    expect(drivenStates[name].filter(state => !states.includes(state))).toEqual([])
  })
})

test('an event that is not marked is found', () => {
  expect(markOf('payment', 'invented')).toBeUndefined()
  expect(markOf('payment', 'toString')).toBeUndefined()
  expect(isForOperators('payment', 'toString', false)).toBe(false)
})

test('operators may send exactly these events', () => {
  const sendable = (livemode: boolean) =>
    machineNames.flatMap(name =>
      eventsOf(name)
        .filter(event => isForOperators(name, event, livemode))
        .map(event => `${name} ${event}`),
    )
  const always = [
    'delivery cancel',
    'delivery redeliver',
    'payment dismiss',
    'payment_link deactivate',
    'refund dismiss',
  ]
  expect([...sendable(true)].sort()).toEqual(always)
  expect([...sendable(false)].sort()).toEqual([...always, 'payment end_window'].sort())
})
