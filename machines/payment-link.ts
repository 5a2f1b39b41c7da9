import { assign, setup } from 'xstate'

export type PaymentLinkOpening = {
  merchantId: string
  livemode: boolean
  amountMinor: number
  currency: string
  title: string | null
  description: string | null
  reference: string | null
  /** What a customer may pay with; null for whatever is offered. */
  assets: { chainId: number; asset: string }[] | null
  maxPayments: number | null
  windowMinutes: number
  expiresAt: Date | null
  successUrl: string | null
  metadata: Record<string, string>
}

export type PaymentLink = PaymentLinkOpening & {
  /** Payments opened, those in `processing` now, and those that have come to `success`. */
  paymentsOpened: number
  paymentsProcessing: number
  paymentsCount: number
  deactivatedAt: Date | null
}

/** The events of its payments come in the bundle of the payment's own: see the table in src/kinds/payment-link.ts. */
export type PaymentLinkEvent = { at: Date } & {
  type:
    | 'open_payment'
    | 'payment_processing' // pending → processing
    | 'payment_reverted' //   processing → pending
    | 'payment_succeeded' //  processing → success
    | 'payment_accepted' //   success from anywhere else: late money, or the merchant's word
    | 'deactivate'
}

const rules = setup({
  types: {
    context: {} as PaymentLink,
    events: {} as PaymentLinkEvent,
    input: {} as PaymentLinkOpening & { at: Date },
  },
  actions: {
    countOpened: assign({ paymentsOpened: ({ context }) => context.paymentsOpened + 1 }),
    countProcessing: assign({ paymentsProcessing: ({ context }) => context.paymentsProcessing + 1 }),
    uncountProcessing: assign({ paymentsProcessing: ({ context }) => context.paymentsProcessing - 1 }),
    countSuccess: assign({ paymentsCount: ({ context }) => context.paymentsCount + 1 }),
    noteDeactivation: assign({ deactivatedAt: ({ event }) => event.at }),
  },
  guards: {
    hasRoom: ({ context: { maxPayments, paymentsCount, paymentsProcessing, expiresAt }, event }) =>
      (maxPayments === null || paymentsCount + paymentsProcessing < maxPayments) &&
      (expiresAt === null || event.at < expiresAt),
    someProcessing: ({ context }) => context.paymentsProcessing > 0,
    lastProcessing: ({ context }) => context.paymentsProcessing > 0 && isLast(context),
    last: ({ context }) => isLast(context),
  },
  delays: { expiry: 0 },
})

const isLast = ({ maxPayments, paymentsCount }: PaymentLink) => maxPayments !== null && paymentsCount + 1 >= maxPayments

/** Payments that are open already run on, whatever becomes of the link. */
const closed = rules.createStateConfig({
  on: {
    payment_processing: { actions: 'countProcessing' },
    payment_reverted: { guard: 'someProcessing', actions: 'uncountProcessing' },
    payment_succeeded: { guard: 'someProcessing', actions: ['uncountProcessing', 'countSuccess'] },
    payment_accepted: { actions: 'countSuccess' },
  },
})

export const paymentLinkMachine = rules.createMachine({
  id: 'payment-link',
  // Field by field: a rest and a spread are two more copies of each link that is made.
  context: ({ input }) => ({
    merchantId: input.merchantId,
    livemode: input.livemode,
    amountMinor: input.amountMinor,
    currency: input.currency,
    title: input.title,
    description: input.description,
    reference: input.reference,
    assets: input.assets,
    maxPayments: input.maxPayments,
    windowMinutes: input.windowMinutes,
    expiresAt: input.expiresAt,
    successUrl: input.successUrl,
    metadata: input.metadata,
    paymentsOpened: 0,
    paymentsProcessing: 0,
    paymentsCount: 0,
    deactivatedAt: null,
  }),
  initial: 'active',
  states: {
    active: {
      after: { expiry: 'expired' },
      on: {
        open_payment: { guard: 'hasRoom', actions: 'countOpened' },
        payment_processing: { actions: 'countProcessing' },
        payment_reverted: { guard: 'someProcessing', actions: 'uncountProcessing' },
        payment_succeeded: [
          { guard: 'lastProcessing', target: 'completed', actions: ['uncountProcessing', 'countSuccess'] },
          { guard: 'someProcessing', actions: ['uncountProcessing', 'countSuccess'] },
        ],
        payment_accepted: [
          { guard: 'last', target: 'completed', actions: 'countSuccess' },
          { actions: 'countSuccess' },
        ],
        deactivate: { target: 'deactivated', actions: 'noteDeactivation' },
      },
    },
    deactivated: closed,
    completed: closed,
    expired: closed,
  },
})
