import { assertEvent, assign, emit, setup } from 'xstate'

export type CustomerAddress = {
  line1: string
  line2: string | null
  city: string
  postalCode: string
  state: string | null
  /** ISO 3166-1 alpha-2. */
  country: string
}

/** What the merchant can change. */
export type CustomerFields = {
  email: string
  name: string | null
  company: string | null
  taxId: string | null
  address: CustomerAddress | null
  locale: string | null
  reference: string | null
  metadata: Record<string, string>
}

export type CustomerOpening = CustomerFields & {
  merchantId: string
  livemode: boolean
  apiVersion: string
  /** `checkout`: created by the first payment of the e-mail address. */
  source: 'merchant' | 'checkout'
}

export type Customer = CustomerOpening & {
  /** The customer that this one was merged into. That one may have been merged again since. */
  mergedIntoId: string | null
}

/**
 * `merge` and `absorb` are one bundle: the first customer is merged into the second, and both are locked. `adjust_credit`
 * carries the row of the credit ledger.
 */
export type CustomerEvent = { at: Date } & (
  | { type: 'update'; changes: Partial<CustomerFields> }
  | { type: 'merge'; intoId: string }
  | { type: 'absorb' | 'adjust_credit' }
)

export const customerMachine = setup({
  types: {
    context: {} as Customer,
    events: {} as CustomerEvent,
    input: {} as CustomerOpening & { at: Date },
    emitted: {} as { type: 'customer.created' | 'customer.merged' },
  },
  actions: {
    change: assign(({ event }) => {
      assertEvent(event, 'update')
      return event.changes
    }),
    nameSurvivor: assign(({ event }) => {
      assertEvent(event, 'merge')
      return { mergedIntoId: event.intoId }
    }),
    // Implemented in `writes` of src/kinds/customer.ts.
    moveToSurvivor: () => {},
  },
}).createMachine({
  id: 'customer',
  context: ({ input: { at: _, ...opening } }) => ({ ...opening, mergedIntoId: null }),
  initial: { target: 'active', actions: emit({ type: 'customer.created' }) },
  states: {
    active: {
      on: {
        update: { actions: 'change' },
        absorb: 'active',
        adjust_credit: 'active',
        merge: { target: 'merged', actions: ['nameSurvivor', 'moveToSurvivor', emit({ type: 'customer.merged' })] },
      },
    },
    merged: { type: 'final' },
  },
})
