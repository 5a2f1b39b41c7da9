import type { AnyStateMachine, AnyStateNode } from 'xstate'
import type { Kind } from './kind.ts'

/**
 * Throws if a machine uses features that the core does not support. A machine may use flat states, named actions, named
 * guards, `emit` with a fixed type and `after` with a named delay. Everything else would happen in memory and be lost.
 */
export const checkMachine = (kind: Kind): void => {
  const { machine } = kind
  const wrong = (what: string): never => {
    throw new Error(`cannot register ${kind.name}: ${what}`)
  }
  for (const node of Object.values(machine.states) as AnyStateNode[]) {
    const at = `state ${node.key}`
    if (node.type !== 'atomic' && node.type !== 'final') wrong(`${at} is ${node.type}; states are flat`)
    // XState exits a final state in the same step that enters it.
    if (node.type === 'final' && node.exit.length + node.transitions.size > 0)
      wrong(`${at} is final, but has events or exit actions`)
    if (node.invoke.length > 0) wrong(`${at} uses invoke; use a task`)
    if (node.always && node.always.length > 0) wrong(`${at} has an eventless transition; name the event`)
    for (const action of [...node.entry, ...node.exit].filter(action => !isOfAfter(action)))
      checkAction(kind, action, at, wrong)
    for (const [event, transitions] of node.transitions) {
      if (event.includes('*')) wrong(`${at} accepts ${event}; name the event`)
      for (const transition of transitions) {
        const where = `${at}, event ${event}`
        for (const action of transition.actions) checkAction(kind, action, where, wrong)
        if (transition.target === undefined && transition.actions.length === 0)
          wrong(`${where}: has neither a target nor an action`)
        if (transition.target?.includes(machine.root)) wrong(`${where}: its target is the root; name the state`)
        checkGuard(machine, transition.guard, where, wrong)
      }
    }
    for (const { delay } of node.after) {
      if (typeof delay !== 'string') wrong(`${at} has an unnamed delay; name it in \`timers\``)
      else if (!kind.timers?.[delay]) wrong(`${at} has the delay \`${delay}\`, which is missing in \`timers\``)
    }
  }
  for (const action of machine.root.initial.actions) checkAction(kind, action, 'the initial transition', wrong)
  const { type, entry, exit, transitions, invoke, always } = machine.root
  if (type !== 'compound') wrong(`the root is ${type}; states are flat`)
  if (entry.length + exit.length + transitions.size + invoke.length + (always?.length ?? 0) > 0) {
    wrong('the root has actions or events')
  }
}

type Wrong = (what: string) => never

const checkAction = (kind: Kind, action: unknown, where: string, wrong: Wrong): void => {
  const name = nameOf(action)
  if (name !== undefined) {
    const implementation: unknown = kind.machine.implementations.actions[name]
    if (computesParams(action)) wrong(`${where}: \`${name}\` computes its params`)
    if (isTyped(implementation)) checkBuiltIn(kind, implementation, `${where}: \`${name}\``, wrong)
    else if (!kind.effects?.[name] && !kind.writes?.[name])
      wrong(`${where}: \`${name}\` is missing in \`effects\` and \`writes\``)
  } else if (isTyped(action) && action.type !== 'xstate.assign') checkBuiltIn(kind, action, where, wrong)
  else wrong(`${where}: an inline ${isTyped(action) ? 'assign' : 'function'}; give it a name`)
}

const checkBuiltIn = (kind: Kind, action: { type: string }, where: string, wrong: Wrong): void => {
  if (action.type === 'xstate.emit') {
    if (!('event' in action) || typeof action.event !== 'object') wrong(`${where} emits a computed event`)
    if (!kind.publish) wrong(`${where} emits an event, but the kind has no \`publish\``)
    return
  }
  if (action.type !== 'xstate.assign') wrong(`${where} is ${action.type}, which is not supported`)
  if (spawns(action)) wrong(`${where} uses spawn; use a task`)
}

/** XState passes `spawn` to assign functions. A function that uses it contains its name. */
const spawns = (assign: object): boolean => {
  const assignment: unknown = 'assignment' in assign ? assign.assignment : undefined
  const assigners = typeof assignment === 'object' && assignment !== null ? Object.values(assignment) : [assignment]
  return assigners.some(assigner => typeof assigner === 'function' && /\bspawn\b/.test(String(assigner)))
}

/** XState implements `after` as a delayed raise on entry and a cancel on exit. */
const isOfAfter = (action: unknown): boolean => {
  if (typeof action !== 'function' || !isTyped(action)) return false
  const named = action as { type: string; sendId?: unknown; event?: { type?: unknown } }
  if (named.type === 'xstate.cancel') return String(named.sendId).startsWith('xstate.after.')
  return named.type === 'xstate.raise' && String(named.event?.type).startsWith('xstate.after.')
}

const checkGuard = (machine: AnyStateMachine, guard: unknown, where: string, wrong: Wrong): void => {
  if (guard === undefined) return
  const name = nameOf(guard)
  if (name === undefined) wrong(`${where}: an inline guard; give it a name`)
  else if (!machine.implementations.guards[name]) wrong(`${where}: the machine has no guard \`${name}\``)
  else if (computesParams(guard)) wrong(`${where}: guard \`${name}\` computes its params`)
  // and(), or() and not() do not show which guards they call.
  else if ('check' in machine.implementations.guards[name])
    wrong(`${where}: guard \`${name}\` is composed of other guards`)
}

const computesParams = (reference: unknown): boolean =>
  isTyped(reference) && 'params' in reference && typeof reference.params === 'function'

/** Actions and guards are referenced by a string or by an object with a type. Built-in ones are functions. */
const nameOf = (reference: unknown): string | undefined =>
  typeof reference === 'string'
    ? reference
    : isTyped(reference) && typeof reference !== 'function'
      ? reference.type
      : undefined

const isTyped = (value: unknown): value is { type: string } =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string'
