import type { PaymentLink } from '../../api/calls.ts'
import type { BadgeTone } from '../../parts/badge.tsx'
import type { StateShape } from '../../parts/state-mark.tsx'

type Look = { readonly shape: StateShape; readonly tone?: BadgeTone }

/** The shape and the colour of the state of a payment link. */
export const linkLooks: Readonly<Record<PaymentLink['status'], Look>> = {
  active: { shape: 'now', tone: 'info' },
  completed: { shape: 'done', tone: 'good' },
  deactivated: { shape: 'off' },
  expired: { shape: 'over' },
}
