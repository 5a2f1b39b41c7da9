import type { Refused } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import { type Because, refuse } from '../errors.ts'
import { publicActionsOf } from '../kinds/public-actions.ts'

type Judged = Pick<Actor<unknown>, 'kind' | 'state' | 'context'>

/** Refuses a request before it is dispatched, as the machine would. Names what can be requested instead. */
export const refuseStateOf = (actor: Judged, because: Pick<Because, 'param' | 'message'> = {}): never =>
  refuse('state_conflict', { ...because, details: { status: actor.state, possible: publicActionsOf(actor) } })

/** Refuses a request whose event was refused. */
export const refuseState = ({ actor }: Pick<Refused, 'actor'>): never => {
  if (!actor) return refuse('state_conflict')
  if (actor.context.erasedAt) return refuse('customer_erased')
  return refuseStateOf(actor)
}
