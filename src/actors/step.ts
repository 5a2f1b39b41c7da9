import type { AnyEventObject, AnyStateNode } from 'xstate'
import { CREATE, nameOfTimer } from './command.ts'
import type { Context, Kind } from './kind.ts'
import { checkMachine } from './machine-rules.ts'

/** A machine's answer to one event: where it is now, and what it asks for, in order. */
export type Stepped = { readonly state: string; readonly context: Context; readonly asked: readonly RequestedEffect[] }

export type RequestedEffect =
  | { readonly what: 'publish'; readonly type: string }
  | { readonly what: 'arm'; readonly timer: string; readonly delay: string }
  | { readonly what: 'cancel'; readonly timer: string }
  | { readonly what: 'effect'; readonly name: string; readonly params: unknown }

const AFTER = 'xstate.after.'

/**
 * Drives a machine as a pure function: nothing runs, what would run is collected.
 *
 * The machines the core takes are flat and name everything they use, so a step is a look-up in XState's
 * own state nodes: 1 us, where `transition()` takes 20 for building an actor around each call, and 7
 * with one kept for all. That this is the same step is shown against `transition()` in the tests.
 */
export const stepper = (kind: Kind) => {
  checkMachine(kind)
  const { machine } = kind
  const nodes: AnyStateNode[] = Object.values(machine.states)
  const states = new Map(nodes.map(node => [node.key, compileState(kind, node)]))
  const { target: [first] = [], actions: opening } = machine.root.initial
  if (!first) throw new Error(`${kind.name} has no initial state`)
  const entered = compileActions(kind, [...opening, ...first.entry])

  const run = (state: string, { assigns, asked }: Compiled, context: Context, event: AnyEventObject): Stepped => {
    let after = context
    for (const assign of assigns) after = { ...after, ...assign({ context: after, event }) }
    return { state, context: after, asked }
  }

  const begin = (input: Context): Stepped => {
    const { context } = machine.config
    const initial: Context = typeof context === 'function' ? context({ input } as never) : (context ?? {})
    return run(first.key, entered, initial, { type: 'xstate.init', input })
  }

  /** Undefined when the machine does not take the event where it is. */
  const take = (state: string, context: Context, event: AnyEventObject): Stepped | undefined => {
    const transitions = states.get(state)
    if (!transitions) throw new Error(`${kind.name} has no state ${state}`)
    const taken = transitions.get(event.type)?.find(({ guard }) => !guard || guard({ context, event }))
    return taken && run(taken.target, taken, context, event)
  }

  /** The events that the state names; a guard may still refuse one for its fields. */
  const possible = (state: string): string[] =>
    [...(states.get(state)?.keys() ?? [])].filter(type => !type.startsWith('xstate.'))

  /** What a change tells the outside whatever is in the fields: where guards choose, what all of their ways tell. */
  const tells = (): Telling[] => [
    ...typesOf(entered).map(type => ({ event: CREATE, from: null, to: first.key, type })),
    ...[...states].flatMap(([from, events]) =>
      [...events].flatMap(([event, ways]) =>
        [...Map.groupBy(ways, ({ target }) => target)].flatMap(([to, [way, ...others]]) =>
          typesOf(way)
            .filter(type => others.every(other => typesOf(other).includes(type)))
            .map(type => ({ event: inHistory(event), from, to, type })),
        ),
      ),
    ),
  ]

  return { begin, take, tells, possible, timerEvent: (timer: string) => ({ type: AFTER + timer }) }
}

/** A change, as history has it, and the public event that belongs to it. */
export type Telling = {
  readonly event: string
  readonly from: string | null
  readonly to: string
  readonly type: string
}

const inHistory = (event: string): string => (event.startsWith(AFTER) ? nameOfTimer(event.slice(AFTER.length)) : event)

const typesOf = (compiled: Compiled | undefined): readonly string[] =>
  compiled?.asked.flatMap(ask => (ask.what === 'publish' ? [ask.type] : [])) ?? []

type Args = { readonly context: Context; readonly event: AnyEventObject }
type Assign = (args: Args) => Partial<Context>
type Compiled = { readonly assigns: readonly Assign[]; readonly asked: readonly RequestedEffect[] }
type Transition = Compiled & { readonly target: string; readonly guard: ((args: Args) => boolean) | undefined }

const compileState = (kind: Kind, node: AnyStateNode): Map<string, Transition[]> => {
  const compiled = new Map<string, Transition[]>()
  for (const [event, transitions] of node.transitions) {
    compiled.set(
      event,
      transitions.map(({ target: targets, reenter, actions, guard }) => {
        const target = targets?.[0] ?? node
        // A transition that names its own state stays in it, unless it says `reenter`.
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
  const judge = kind.machine.implementations.guards[type] as (args: Args, params: unknown) => boolean
  return (args: Args): boolean => judge(args, params)
}

type Named = { readonly type: string; readonly params?: unknown }

const compileActions = (kind: Kind, actions: readonly unknown[]): Compiled => {
  const assigns: Assign[] = []
  const asked: RequestedEffect[] = []
  for (const action of actions) {
    const { type, params } = typeof action === 'string' ? { type: action, params: undefined } : (action as Named)
    const builtIn = typeof action === 'function' ? action : kind.machine.implementations.actions[type]
    const parts = builtIn as unknown as BuiltIn | undefined
    if (parts?.type === 'xstate.assign') assigns.push(compileAssign(parts.assignment, params))
    else if (parts?.type === 'xstate.emit') asked.push({ what: 'publish', type: parts.event.type })
    else if (parts?.type === 'xstate.raise') {
      asked.push({ what: 'arm', timer: parts.event.type.slice(AFTER.length), delay: parts.delay })
    } else if (parts?.type === 'xstate.cancel') asked.push({ what: 'cancel', timer: parts.sendId.slice(AFTER.length) })
    else asked.push({ what: 'effect', name: type, params })
  }
  return { assigns, asked }
}

/** What XState hangs on the functions that its action creators return. */
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
