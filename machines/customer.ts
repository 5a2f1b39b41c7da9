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
  /** The clock whose time its invoices have, in test mode. It never changes. */
  testClockId: string | null
}

export type Customer = CustomerOpening & {
  /** Set in the states `erasing` and `erased`, and of a customer that was merged into an erased one. */
  erasedAt: Date | null
  /** The account of the member who has erased it, for the audit log. */
  erasedBy: string | null
  /** The customer that this one was merged into. That one may have been merged again since. */
  mergedIntoId: string | null
}

/**
 * `merge` and `absorb` are one bundle: the first customer is merged into the second, and both are locked. `adjust_credit`
 * carries the row of the credit ledger. `erase` names the address that takes the place of the e-mail address.
 */
export type CustomerEvent = { at: Date } & (
  | { type: 'update'; changes: Partial<CustomerFields> }
  | { type: 'merge'; intoId: string }
  | { type: 'erase'; email: string; accountId: string }
  | { type: 'absorb' | 'adjust_credit' | 'copies_erased' }
)

/** Its personal data was erased from its records; copies of them may still exist. */
export const isErased = (state: string): boolean => state === 'erasing' || state === 'erased'

export const customerMachine = setup({
  types: {
    context: {} as Customer,
    events: {} as CustomerEvent,
    input: {} as CustomerOpening & { at: Date },
    emitted: {} as { type: 'customer.created' | 'customer.merged' | 'customer.erased' },
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
    clearFields: assign(({ event }) => {
      assertEvent(event, 'erase')
      const { at: erasedAt, email, accountId: erasedBy } = event
      return { ...noFields, erasedAt, erasedBy, email }
    }),
    // Implemented in `writes` of src/kinds/customer.ts.
    moveToSurvivor: () => {},
    eraseRecords: () => {},
    // Implemented in its `effects`.
    eraseCopies: () => {},
  },
  delays: { repetition: 0 },
}).createMachine({
  id: 'customer',
  context: ({ input: { at: _, ...opening } }) => ({ ...opening, mergedIntoId: null, erasedAt: null, erasedBy: null }),
  initial: { target: 'active', actions: emit({ type: 'customer.created' }) },
  states: {
    active: {
      on: {
        update: { actions: 'change' },
        absorb: 'active',
        adjust_credit: 'active',
        merge: { target: 'merged', actions: ['nameSurvivor', 'moveToSurvivor', emit({ type: 'customer.merged' })] },
        erase: { target: 'erasing', actions: ['clearFields', 'eraseRecords', 'eraseCopies'] },
      },
    },
    // The records contain no personal data any more. A job erases the stored copies of them.
    erasing: {
      // In case the job was lost.
      after: { repetition: { target: 'erasing', reenter: true, actions: 'eraseCopies' } },
      on: { copies_erased: { target: 'erased', actions: emit({ type: 'customer.erased' }) } },
    },
    merged: { type: 'final' },
    erased: { type: 'final' },
  },
})

const noFields = {
  ...{ name: null, company: null, taxId: null, address: null, locale: null, reference: null },
  metadata: {},
}
