import { type Kind, registered } from '../../src/actors/kind.ts'
import { lamp } from '../actors/lamp.ts'

type Counting = { readonly by?: number; readonly before?: Date; readonly at: Date }

/**
 * The toy machine, with counts that are refused from a given time on: a command that was accepted when it was first
 * decided may be refused when it is decided again, though no other command came between.
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
