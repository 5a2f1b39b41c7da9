import {
  type ActorScope,
  type AnyEventObject,
  type AnyMachineSnapshot,
  createActor,
  type ExecutableActionObject,
} from 'xstate'
import type { Context, Kind } from './kind.ts'
import { checkMachine } from './machine-rules.ts'

/** A machine's answer to one event: where it is now, and what it asks for, in order. */
export type Stepped = { readonly snapshot: AnyMachineSnapshot; readonly asked: readonly Asked[] }

export type Asked =
  | { readonly what: 'publish'; readonly type: string }
  | { readonly what: 'arm'; readonly timer: string; readonly delay: string }
  | { readonly what: 'cancel'; readonly timer: string }
  | { readonly what: 'effect'; readonly name: string; readonly params: unknown }

const AFTER = 'xstate.after.'

/** Drives a machine as a pure function: nothing runs, what would run is collected. */
export const stepper = (kind: Kind) => {
  checkMachine(kind)
  const { machine } = kind

  // XState's own `transition()` builds an actor system for every call, two thirds of the time of a
  // step (20 us against 7). One scope that collects does for all of them, since nothing is kept in it.
  let collected: ExecutableActionObject[] = []
  const self = createActor(machine, { input: {} })
  const scope: ActorScope<AnyMachineSnapshot, AnyEventObject> = {
    self,
    id: self.id,
    sessionId: self.sessionId,
    system: self.system,
    logger: () => {},
    defer: () => {},
    emit: () => {},
    stopChild: () => {},
    actionExecutor: action => {
      collected.push(action)
    },
  }

  // A snapshot of each state, made once; an actor's is the same with its own context.
  const rested = new Map(
    Object.keys(machine.states).map(state => [state, machine.resolveState({ value: state, context: {} })]),
  )
  const restore = (state: string, context: Context): AnyMachineSnapshot => {
    const snapshot = rested.get(state)
    if (!snapshot) throw new Error(`${kind.name} has no state ${state}`)
    return { ...snapshot, context }
  }

  const begin = (input: Context): Stepped => {
    collected = []
    const snapshot = machine.getInitialSnapshot(scope, input)
    return { snapshot, asked: collected.flatMap(askedFor) }
  }

  /** Undefined when the machine does not take the event where it is. */
  const take = (snapshot: AnyMachineSnapshot, event: AnyEventObject): Stepped | undefined => {
    collected = []
    const next = machine.transition(snapshot, event, scope)
    // The very snapshot comes back when no transition was enabled.
    if (next === snapshot) return undefined
    // A machine that throws is told by XState as a snapshot, not as an exception.
    if (next.status === 'error') throw next.error
    return { snapshot: next, asked: collected.flatMap(askedFor) }
  }

  /** The events that the state names and the guards let through, so far as that can be told without their fields. */
  const possible = (snapshot: AnyMachineSnapshot): string[] => {
    const node = machine.states[String(snapshot.value)]
    return node ? node.ownEvents.filter((type: string) => !type.startsWith('xstate.')) : []
  }

  return { restore, begin, take, possible, timerEvent: (timer: string) => ({ type: AFTER + timer }) }
}

const askedFor = (action: ExecutableActionObject): Asked[] => {
  const params = (action.params ?? {}) as Record<string, unknown>
  switch (action.type) {
    case 'xstate.emit':
      return [{ what: 'publish', type: (params.event as AnyEventObject).type }]
    case 'xstate.raise': {
      const timer = String(params.id).slice(AFTER.length)
      return [{ what: 'arm', timer, delay: delayOf(timer) }]
    }
    case 'xstate.cancel':
      return [{ what: 'cancel', timer: String(params.sendId).slice(AFTER.length) }]
    default:
      return [{ what: 'effect', name: action.type, params: action.params }]
  }
}

// `window.payment.pending`: the delay's name, the machine's id, the state.
const delayOf = (timer: string): string => timer.slice(0, timer.indexOf('.'))
