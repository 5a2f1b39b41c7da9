import type { Plan } from '../../api/calls.ts'
import type { BadgeTone } from '../../parts/badge.tsx'
import type { StateShape } from '../../parts/state-mark.tsx'

type Look = { readonly shape: StateShape; readonly tone?: BadgeTone }

/** The shape and the colour of the state of a plan. */
export const planLooks: Readonly<Record<Plan['status'], Look>> = {
  active: { shape: 'now', tone: 'info' },
  archived: { shape: 'off' },
}
