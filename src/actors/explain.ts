import type { AnyEventObject, AnyStateNode } from 'xstate'
import type { Actor, Kind } from './kind.ts'

/** An event that a state takes, and what its guards say about an actor now. */
export type PossibleEvent = {
  /** As histories name it. */
  readonly event: string
  /** `holds` is null if the guard depends on the content of the event. */
  readonly guards: readonly { readonly name: string; readonly holds: boolean | null }[]
  /** Whether some transition may be taken: it has no guard, or one that holds or depends on the content of the event. */
  readonly isOpen: boolean
}

/** The events that the machine takes in the actor's state, in the order of the machine. Without `at`, guards that depend on the time are not judged. */
export const explainEvents = (
  { machine }: Kind,
  actor: Pick<Actor<unknown>, 'state' | 'context'>,
  at?: Date,
): readonly PossibleEvent[] => {
  const node: AnyStateNode | undefined = machine.states[actor.state]
  return [...(node?.transitions ?? [])].map(([event, transitions]) => {
    const judged = transitions.map(({ guard }) =>
      guard === undefined ? undefined : judge(machine, guard, actor, { type: event, ...(at && { at }) }),
    )
    const named = judged.flatMap(guard => guard ?? [])
    return {
      event: event.replace(/^xstate\./, ''),
      guards: [...new Map(named.map(guard => [guard.name, guard])).values()],
      isOpen: judged.some(guard => guard?.holds !== false),
    }
  })
}

type Guard = (args: { readonly context: unknown; readonly event: AnyEventObject }, params: unknown) => boolean

const judge = (
  machine: Kind['machine'],
  guard: unknown,
  { context }: Pick<Actor<unknown>, 'context'>,
  event: AnyEventObject,
) => {
  const { type: name, params } = typeof guard === 'string' ? { type: guard, params: undefined } : (guard as Named)
  const { asked, wasRead } = withoutContent(event)
  const check = machine.implementations.guards[name] as Guard
  return { name, holds: evaluate(() => check({ context, event: asked }, params), wasRead) }
}

type Named = { readonly type: string; readonly params?: unknown }

const evaluate = (check: () => boolean, wasRead: () => boolean): boolean | null => {
  try {
    const holds = check()
    return wasRead() ? null : holds
  } catch (error) {
    if (wasRead()) return null
    throw error
  }
}

/** An event of which only the type and the time are known, and whether something else of it was read. */
const withoutContent = (event: AnyEventObject) => {
  let read = false
  const readField = (field: string | symbol): boolean => {
    const isKnown = field in event
    if (!isKnown) read = true
    return isKnown
  }
  const asked = new Proxy(event, {
    get: (target, field) => (readField(field) ? Reflect.get(target, field) : undefined),
    has: (_, field) => readField(field),
  })
  return { asked, wasRead: () => read }
}
