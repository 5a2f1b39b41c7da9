import type { AnyEventObject, AnyStateNode } from 'xstate'
import { CREATE, nameOfTimer } from './command.ts'
import type { Context, Kind } from './kind.ts'
import { checkMachine } from './machine-rules.ts'

/** The result of one event: the new state and context, and the requested effects in order. */
export type Stepped = {
  readonly state: string
  readonly context: Context
  readonly requested: readonly RequestedEffect[]
}

export type RequestedEffect =
  | { readonly what: 'publish'; readonly type: string }
  | { readonly what: 'arm'; readonly timer: string; readonly delay: string }
  | { readonly what: 'cancel'; readonly timer: string }
  | { readonly what: 'effect'; readonly name: string; readonly params: unknown }

const AFTER = 'xstate.after.'

/**
 * Steps a machine as a pure function: effects are collected and not run.
 *
 * The supported machines are flat and use only named parts, so a step is a look-up in XState's state nodes. It takes 1
 * µs; `transition()` takes 20 µs because it builds an actor for each call, and 7 µs with one actor kept. A test
 * compares the results with `transition()`.
 */
export const stepper = (kind: Kind) => {
  checkMachine(kind)
  const { machine } = kind
  const nodes: AnyStateNode[] = Object.values(machine.states)
  const states = new Map(nodes.map(node => [node.key, compileState(kind, node)]))
  const { target: [first] = [], actions: opening } = machine.root.initial
  if (!first) throw new Error(`${kind.name} has no initial state`)
  const entered = compileActions(kind, [...opening, ...first.entry])

  const run = (state: string, { assigns, requested }: Compiled, context: Context, event: AnyEventObject): Stepped => {
    let after = context
    for (const assign of assigns) after = { ...after, ...assign({ context: after, event }) }
    return { state, context: after, requested }
  }

  const begin = (input: Context): Stepped => {
    const { context } = machine.config
    const initial: Context = typeof context === 'function' ? context({ input } as never) : (context ?? {})
    return run(first.key, entered, initial, { type: 'xstate.init', input })
  }

  /** Returns undefined if the machine does not accept the event in this state. */
  const take = (state: string, context: Context, event: AnyEventObject): Stepped | undefined => {
    const transitions = states.get(state)
    if (!transitions) throw new Error(`${kind.name} has no state ${state}`)
    const taken = transitions.get(event.type)?.find(({ guard }) => !guard || guard({ context, event }))
    return taken && run(taken.target, taken, context, event)
  }

  const possible = (state: string): string[] => possibleEvents(kind, state)

  /**
   * The public events that a transition emits whatever the context is. If guards choose between several transitions
   * with the same target, only events that all of them emit are included.
   */
  const guaranteedEvents = (): TransitionEvent[] => [
    ...typesOf(entered).map(type => ({ event: CREATE, from: null, to: first.key, type })),
    ...[...states].flatMap(([from, events]) =>
      [...events].flatMap(([event, transitions]) =>
        [...Map.groupBy(transitions, ({ target }) => target)].flatMap(([to, [transition, ...others]]) =>
          typesOf(transition)
            .filter(type => others.every(other => typesOf(other).includes(type)))
            .map(type => ({ event: inHistory(event), from, to, type })),
        ),
      ),
    ),
  ]

  return { begin, take, guaranteedEvents, possible, timerEvent: (timer: string) => ({ type: AFTER + timer }) }
}

/** The events of a state. A guard may still refuse an event because of its fields. */
export const possibleEvents = ({ machine }: Pick<Kind, 'machine'>, state: string): string[] =>
  [...(machine.states[state]?.transitions.keys() ?? [])].filter(type => !type.startsWith('xstate.'))

/** A transition, as the history records it, and the type of the public event that it emits. */
export type TransitionEvent = {
  readonly event: string
  readonly from: string | null
  readonly to: string
  readonly type: string
}

const inHistory = (event: string): string => (event.startsWith(AFTER) ? nameOfTimer(event.slice(AFTER.length)) : event)

const typesOf = (compiled: Compiled | undefined): readonly string[] =>
  compiled?.requested.flatMap(ask => (ask.what === 'publish' ? [ask.type] : [])) ?? []

type Args = { readonly context: Context; readonly event: AnyEventObject }
type Assign = (args: Args) => Partial<Context>
type Compiled = { readonly assigns: readonly Assign[]; readonly requested: readonly RequestedEffect[] }
type Transition = Compiled & { readonly target: string; readonly guard: ((args: Args) => boolean) | undefined }

const compileState = (kind: Kind, node: AnyStateNode): Map<string, Transition[]> => {
  const compiled = new Map<string, Transition[]>()
  for (const [event, transitions] of node.transitions) {
    compiled.set(
      event,
      transitions.map(({ target: targets, reenter, actions, guard }) => {
        const target = targets?.[0] ?? node
        // A transition to its own state does not leave it, unless `reenter` is set.
        const leaves = targets !== undefined && (target !== node || reenter)
        const all = leaves ? [...node.exit, ...actions, ...target.entry] : actions
        return { target: target.key, guard: compileGuard(kind, guard), ...compileActions(kind, all) }
      }),
    )
  }
  return compiled
}

const compileGuard = (kind: Kind, guard: unknown) => {
  if (guard === undefined) return undefined
  const { type, params } = typeof guard === 'string' ? { type: guard, params: undefined } : (guard as Named)
  const check = kind.machine.implementations.guards[type] as (args: Args, params: unknown) => boolean
  return (args: Args): boolean => check(args, params)
}

type Named = { readonly type: string; readonly params?: unknown }

const compileActions = (kind: Kind, actions: readonly unknown[]): Compiled => {
  const assigns: Assign[] = []
  const requested: RequestedEffect[] = []
  for (const action of actions) {
    const { type, params } = typeof action === 'string' ? { type: action, params: undefined } : (action as Named)
    const builtIn = typeof action === 'function' ? action : kind.machine.implementations.actions[type]
    const parts = builtIn as unknown as BuiltIn | undefined
    if (parts?.type === 'xstate.assign') assigns.push(compileAssign(parts.assignment, params))
    else if (parts?.type === 'xstate.emit') requested.push({ what: 'publish', type: parts.event.type })
    else if (parts?.type === 'xstate.raise') {
      requested.push({ what: 'arm', timer: parts.event.type.slice(AFTER.length), delay: parts.delay })
    } else if (parts?.type === 'xstate.cancel')
      requested.push({ what: 'cancel', timer: parts.sendId.slice(AFTER.length) })
    else requested.push({ what: 'effect', name: type, params })
  }
  return { assigns, requested }
}

/** The properties of the functions that XState's action creators return. */
type BuiltIn =
  | { readonly type: 'xstate.assign'; readonly assignment: Assignment }
  | { readonly type: 'xstate.emit'; readonly event: { readonly type: string } }
  | { readonly type: 'xstate.raise'; readonly event: { readonly type: string }; readonly delay: string }
  | { readonly type: 'xstate.cancel'; readonly sendId: string }

type Assigner = (args: Args, params: unknown) => unknown
type Assignment = Readonly<Record<string, unknown>> | ((args: Args, params: unknown) => Partial<Context>)

const compileAssign = (assignment: Assignment, params: unknown): Assign => {
  if (typeof assignment === 'function') return args => assignment(args, params)
  const fields = Object.entries(assignment)
  return args => {
    const patch: Context = {}
    for (const [field, value] of fields) {
      patch[field] = typeof value === 'function' ? (value as Assigner)(args, params) : value
    }
    return patch
  }
}
