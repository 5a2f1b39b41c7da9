import { expect, test } from 'bun:test'
import { setup } from 'xstate'
import { registered } from '../../src/actors/kind.ts'
import { kinds } from '../../src/kinds/all.ts'
import { drawMachines } from './draw-machines.ts'
import { readText } from './tables.ts'

test('docs/machines.md is the output of `bun run diagrams`', () => {
  expect(readText('docs/machines.md')).toBe(drawMachines())
})

test('it has a diagram for each machine, with every state', () => {
  const page = readText('docs/machines.md')
  const diagrams = [...page.matchAll(/^```mermaid\n(.*?)^```$/gms)].map(([, text = '']) => text)
  expect(diagrams).toHaveLength(kinds.length)
  for (const [n, { machine }] of kinds.entries())
    for (const state of Object.keys(machine.states)) expect(diagrams[n]).toContain(state)
})

const door = setup({
  actions: { count: () => {} },
  guards: { isFree: () => true },
  delays: { closing: 0 },
}).createMachine({
  id: 'door',
  initial: 'shut',
  states: {
    shut: { on: { open: { guard: 'isFree', target: 'open' }, knock: { actions: 'count' }, lock: 'locked' } },
    open: { after: { closing: 'shut' }, on: { close: 'shut' } },
    locked: { type: 'final' },
  },
})

test('a diagram has an arrow for each change of state, and a table of the events that keep the state', () => {
  const page = drawMachines([
    registered({ name: 'door', table: 'doors', machine: door, version: 3, columns: {}, history: [] }),
  ])
  expect(page).toContain(`stateDiagram-v2
  [*] --> shut
  shut --> open: open [isFree]
  shut --> locked: lock
  open --> shut: close<br/>after closing
  locked --> [*]
`)
  expect(page).toContain('| `shut` | `knock` |')
})
