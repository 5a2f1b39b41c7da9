import type { Refused, Row } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import { refuse } from '../errors.ts'

/** The caller of a command, and the rows to commit with it. */
export type Requester<C> = {
  /** ID of the caller as in the API, for the history. */
  readonly cause: string
  /** Returns rows for the actor in the response: see `answerIdempotently` in src/http/idempotency.ts. */
  readonly responseRows: (actor: Actor<C>) => readonly Row[]
}

/** An event as a command sends it: the commit adds its time. */
export type EventOf<Event> = Event extends { at: Date } ? Omit<Event, 'at'> : never

/** A parallel request with the same key has committed first. Its response can be replayed. */
export const refuseTwin = ({ constraint }: Refused): void => {
  if (constraint === 'idempotency_keys_pkey') refuse('idempotency_key_in_use')
}
