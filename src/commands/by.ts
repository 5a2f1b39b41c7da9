import type { Refused, Row } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import { refuse } from '../errors.ts'

/** Who asks for a command, and what is to be committed with it. */
export type By<C> = {
  /** For the history: an id as on the wire. */
  readonly cause: string
  /** Rows made of the actor that is answered with: see `once` in src/http/idempotency.ts. */
  readonly keep: (actor: Actor<C>) => readonly Row[]
}

/** A twin of the request has committed first; its answer is there to be replayed. */
export const refuseTwin = ({ constraint }: Refused): void => {
  if (constraint === 'idempotency_keys_pkey') refuse('idempotency_key_in_use')
}
