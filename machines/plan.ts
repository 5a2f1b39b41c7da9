import { assertEvent, assign, setup } from 'xstate'
import type { InvoiceContent } from './invoice-events.ts'

/** What the merchant can change. Terms never change: a subscription has those of the plan when it was created. */
export type PlanTexts = {
  name: string
  description: string | null
  metadata: Readonly<Record<string, string>>
}

/** What a period costs, as its invoice says it. The lines name no period. */
export type PlanPrice = Pick<
  InvoiceContent,
  'currency' | 'taxBehavior' | 'lines' | 'taxes' | 'subtotalMinor' | 'taxMinor' | 'totalMinor'
>

export type Plan = PlanTexts &
  PlanPrice & {
    merchantId: string
    livemode: boolean
    interval: 'day' | 'week' | 'month' | 'year'
    intervalCount: number
    trialDays: number
    leadDays: number
    graceDays: number
    /** Null: subscriptions do not end by themselves. */
    maxPeriods: number | null
    activation: 'on_payment' | 'immediate'
    afterGrace: 'cancel' | 'pause'
    assets: InvoiceContent['assets']
    reference: string | null
  }

export type PlanEvent = { at: Date } & ({ type: 'update'; changes: Partial<PlanTexts> } | { type: 'archive' })

export const planMachine = setup({
  types: {
    context: {} as Plan,
    events: {} as PlanEvent,
    input: {} as Plan & { at: Date },
  },
  actions: {
    change: assign(({ event }) => {
      assertEvent(event, 'update')
      return event.changes
    }),
  },
}).createMachine({
  id: 'plan',
  context: ({ input: { at: _, ...plan } }) => plan,
  initial: 'active',
  states: {
    active: { on: { update: { actions: 'change' }, archive: 'archived' } },
    // Its subscriptions go on, and show its name.
    archived: { on: { update: { actions: 'change' } } },
  },
})
