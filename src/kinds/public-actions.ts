import { explainEvents } from '../actors/explain.ts'
import type { Actor } from '../actors/kind.ts'
import { isMachineName } from '../resources.ts'
import { kindNamed } from './all.ts'
import { markOf } from './event-marks.ts'

/**
 * What a caller can request of an actor as it is: see `action` in event-marks.ts. A request can still be refused because of
 * its content or the time.
 */
export const publicActionsOf = (actor: Pick<Actor<unknown>, 'kind' | 'state' | 'context'>): readonly string[] => {
  const { kind } = actor
  if (!isMachineName(kind)) return []
  const open = explainEvents(kindNamed(kind), actor).filter(({ isOpen }) => isOpen)
  return [...new Set(open.flatMap(({ event }) => markOf(kind, event)?.action ?? []))]
}
