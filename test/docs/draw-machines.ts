import type { AnyStateNode } from 'xstate'
import type { Kind } from '../../src/actors/kind.ts'
import { kinds } from '../../src/kinds/all.ts'

/** The page with all state machines, as `bun run diagrams` writes it. */
export const drawMachines = (all: readonly Kind[] = kinds): string => `${[intro, ...all.map(drawMachine)].join('\n')}`

const intro = `# State machines

Made by \`bun run diagrams\` from the machines that the server runs, and compared in a test. Do not edit.

An arrow is labeled \`event [guard] / public event\`. Where a state takes an event in several ways, the first whose guard holds
counts. Events that leave a state as it is are in the table below each diagram. An event that is not listed for a state is
refused with 409. Webhook endpoints can subscribe to the public events.

A running server has the definition of each machine as JSON at \`/machines.json\`: \`createMachine(definition)\` of XState 5 has the
same states and transitions.
`

const drawMachine = (kind: Kind): string => {
  const { machine, name, table } = kind
  const edges = edgesOf(kind)
  const moves = Map.groupBy(
    edges.filter(({ from, to }) => to !== from),
    ({ from, to }) => `${from} --> ${to}`,
  )
  const initial = machine.root.initial
  const emitted = emittedBy(initial.actions)
  const finals = statesOf(kind).filter(({ type }) => type === 'final')
  const lines = [
    `[*] --> ${initial.target[0]?.key}${emitted.length > 0 ? `: / ${emitted.join(', ')}` : ''}`,
    ...[...moves].map(([arrow, alike]) => `${arrow}: ${alike.map(labelOf).join('<br/>')}`),
    ...finals.map(({ key }) => `${key} --> [*]`),
  ]
  const stays = edges.filter(({ from, to }) => to === from)
  return [
    `## ${name.replaceAll('_', ' ')}`,
    '',
    `Machine: \`machines/${name.replaceAll('_', '-')}.ts\`. Table: \`${table}\`. Version: ${kind.version}.`,
    '',
    '```mermaid',
    'stateDiagram-v2',
    ...lines.map(line => `  ${line}`),
    '```',
    '',
    ...tableOf(stays),
  ].join('\n')
}

type Edge = {
  readonly from: string
  readonly to: string
  readonly event: string
  readonly guard: string | undefined
  readonly emits: readonly string[]
}

const statesOf = ({ machine }: Kind): readonly AnyStateNode[] => Object.values(machine.states)

const edgesOf = (kind: Kind): readonly Edge[] =>
  statesOf(kind).flatMap(state =>
    [...state.transitions].flatMap(([event, transitions]) =>
      transitions.map(({ target, guard, actions }) => {
        const to = target?.[0]
        return {
          from: state.key,
          to: to?.key ?? state.key,
          event: nameOfEvent(event),
          guard: nameOf(guard),
          emits: [...emittedBy(actions), ...(to && to !== state ? emittedBy(to.entry) : [])],
        }
      }),
    ),
  )

/** XState derives the event of a delay from the delay's name, the machine and the state. */
const nameOfEvent = (event: string): string => {
  const [, delay] = /^xstate\.after\.(\w+)\./.exec(event) ?? []
  return delay === undefined ? event : `after ${delay}`
}

const emittedBy = (actions: readonly unknown[]): readonly string[] =>
  actions.flatMap(action => {
    const event: unknown =
      isTyped(action) && action.type === 'xstate.emit' && 'event' in action ? action.event : undefined
    return isTyped(event) ? [event.type] : []
  })

const nameOf = (reference: unknown): string | undefined =>
  typeof reference === 'string' ? reference : isTyped(reference) ? reference.type : undefined

const isTyped = (value: unknown): value is { type: string } =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string'

const labelOf = ({ event, guard, emits }: Edge): string =>
  [event, guard && `[${guard}]`, emits.length > 0 && `/ ${emits.join(', ')}`].filter(Boolean).join(' ')

const tableOf = (stays: readonly Edge[]): readonly string[] => {
  if (stays.length === 0) return []
  const byState = Map.groupBy(stays, ({ from }) => from)
  const rows = [...byState].map(
    ([state, edges]) => `| \`${state}\` | ${edges.map(edge => `\`${labelOf(edge)}\``).join(', ')} |`,
  )
  return ['| state | events that keep it |', '|---|---|', ...rows, '']
}
