import { type Kind, registered } from '../../src/actors/kind.ts'
import { lamp } from '../actors/lamp.ts'

type Counting = { readonly by?: number; readonly before?: Date; readonly at: Date }

/**
 * The lamp machine with counts that are refused after a deadline: a command accepted by one decision may be refused when
 * it is decided again, without another command in between.
 */
export const timedLamp: Kind = registered({
  ...lamp,
  machine: lamp.machine.provide({
    guards: {
      counts: ({ event }: { event: Counting }) =>
        event.by !== 0 && (event.before === undefined || event.at < event.before),
    },
  }),
})
