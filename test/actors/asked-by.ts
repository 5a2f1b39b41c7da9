import type { ExecutableActionObject } from 'xstate'
import type { RequestedEffect } from '../../src/actors/step.ts'

/** What XState's own interpreter requests for a step, in the form of the core. */
export const askedBy = (actions: readonly ExecutableActionObject[]): RequestedEffect[] =>
  actions.map(({ type, params }) => {
    const given = (params ?? {}) as { event?: { type: string }; id?: string; sendId?: string }
    const timer = String(given.id ?? given.sendId).replace('xstate.after.', '')
    if (type === 'xstate.emit') return { what: 'publish', type: String(given.event?.type) }
    if (type === 'xstate.raise') return { what: 'arm', timer, delay: timer.split('.')[0] ?? '' }
    if (type === 'xstate.cancel') return { what: 'cancel', timer }
    return { what: 'effect', name: type, params }
  })
