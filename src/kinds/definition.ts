import type { AnyStateNode } from 'xstate'
import { CREATE, nameOfTimer } from '../actors/command.ts'
import type { Kind } from '../actors/kind.ts'

/**
 * A machine as a JSON config: `createMachine(definition)` has the same states and transitions. It contains the names of
 * guards, actions and delays, and no code.
 */
export type Definition = {
  readonly id: string
  readonly initial: { readonly target: string; readonly actions: readonly ActionName[] }
  readonly states: Readonly<Record<string, StateDefinition>>
}

type StateDefinition = {
  readonly type?: 'final'
  readonly entry: readonly ActionName[]
  readonly exit: readonly ActionName[]
  readonly on: Readonly<Record<string, readonly TransitionDefinition[]>>
  /** By the name of the delay. */
  readonly after: Readonly<Record<string, readonly TransitionDefinition[]>>
}

type TransitionDefinition = {
  /** Missing if the state is not left. */
  readonly target?: string
  readonly reenter?: true
  readonly guard?: string
  readonly actions: readonly ActionName[]
}

/** A named action, or the public event that the transition publishes. */
type ActionName = { readonly type: string; readonly params?: { readonly event: string } }

export const definitionOf = ({ machine }: Kind): Definition => {
  const { target: [first] = [], actions } = machine.root.initial
  return {
    id: machine.id,
    initial: { target: first?.key ?? '', actions: namesOf(actions) },
    states: Object.fromEntries(nodesOf(machine).map(node => [node.key, stateOf(node)])),
  }
}

const nodesOf = (machine: Kind['machine']): readonly AnyStateNode[] => Object.values(machine.states)

const stateOf = (node: AnyStateNode): StateDefinition => {
  const all = [...node.transitions].map(([event, transitions]) => [event, transitions.map(transitionOf)] as const)
  return {
    ...(node.type === 'final' && { type: 'final' as const }),
    entry: namesOf(node.entry),
    exit: namesOf(node.exit),
    on: Object.fromEntries(all.filter(([event]) => !event.startsWith(AFTER))),
    after: Object.fromEntries(
      all.flatMap(([event, transitions]) => (event.startsWith(AFTER) ? [[delayOf(event), transitions]] : [])),
    ),
  }
}

const AFTER = 'xstate.after.'

/** `xstate.after.<delay>.<machine>.<state>` */
const delayOf = (event: string): string => event.slice(AFTER.length).split('.')[0] ?? ''

type NodeTransition = AnyStateNode['transitions'] extends ReadonlyMap<string, (infer T)[]> ? T : never

const transitionOf = ({ target, reenter, guard, actions }: NodeTransition): TransitionDefinition => ({
  ...(target?.[0] && { target: target[0].key }),
  ...(target?.[0] && reenter && { reenter: true as const }),
  ...(guard !== undefined && { guard: guardName(guard) }),
  actions: namesOf(actions),
})

export const guardName = (guard: unknown): string =>
  typeof guard === 'string' ? guard : (guard as { readonly type: string }).type

/** The built-in actions of `after` are left out: its key implies them. */
const namesOf = (actions: readonly unknown[]): readonly ActionName[] =>
  actions.flatMap((action): readonly ActionName[] => {
    if (typeof action === 'string') return [{ type: action }]
    const { type, event } = action as { readonly type: string; readonly event?: { readonly type: string } }
    if (type === 'xstate.raise' || type === 'xstate.cancel') return []
    return type === 'xstate.emit' ? [{ type: 'emit', params: { event: event?.type ?? '' } }] : [{ type }]
  })

/** All transitions between the same two states. */
export type Arrow = { readonly from: string; readonly to: string; readonly events: readonly string[] }

/** Transitions that stay in their state are no arrows. */
export const arrowsOf = ({ machine }: Kind): readonly Arrow[] => {
  const moves = nodesOf(machine).flatMap(node =>
    [...node.transitions].flatMap(([event, transitions]) =>
      transitions.flatMap(({ target }) => {
        const to = target?.[0]?.key ?? node.key
        return to === node.key ? [] : [{ from: node.key, to, event: inHistory(event) }]
      }),
    ),
  )
  const alike = Map.groupBy(moves, ({ from, to }) => `${from} ${to}`)
  return [...alike.values()].flatMap(([first, ...others]) =>
    first ? [{ from: first.from, to: first.to, events: distinct([first, ...others]) }] : [],
  )
}

const distinct = (moves: readonly { readonly event: string }[]) => [...new Set(moves.map(({ event }) => event))]

/** The event as histories name it. */
export const inHistory = (event: string): string =>
  event.startsWith(AFTER) ? nameOfTimer(event.slice(AFTER.length)) : event

/** All events of the machine, also those that stay in their state, as histories name them. */
export const eventsOf = ({ machine }: Kind): readonly string[] => [
  ...new Set([CREATE, ...nodesOf(machine).flatMap(node => [...node.transitions.keys()].map(inHistory))]),
]

export const statesOf = ({ machine }: Kind): readonly { readonly state: string; readonly isFinal: boolean }[] =>
  nodesOf(machine).map(({ key, type }) => ({ state: key, isFinal: type === 'final' }))

/**
 * The states whose actors cannot be counted from the history, because events that it does not record enter or leave
 * them. See `unrecorded` of a kind.
 */
export const uncountedStates = ({ machine, unrecorded = [] }: Kind): readonly string[] => {
  const moved = nodesOf(machine).flatMap(node =>
    unrecorded.flatMap(event =>
      (node.transitions.get(event) ?? []).flatMap(({ target }) => [node.key, target?.[0]?.key ?? node.key]),
    ),
  )
  const created = unrecorded.includes('create') ? [machine.root.initial.target[0]?.key ?? ''] : []
  return [...new Set([...created, ...moved])]
}
