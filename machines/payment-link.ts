import { assign, setup } from 'xstate'

export type PaymentLinkOpening = {
  merchantId: string
  livemode: boolean
  amountMinor: number
  currency: string
  title: string | null
  description: string | null
  reference: string | null
  /** The assets a customer may pay with; null for all that are offered. */
  assets: { chainId: number; asset: string }[] | null
  maxPayments: number | null
  windowMinutes: number
  expiresAt: Date | null
  successUrl: string | null
  metadata: Record<string, string>
  /** The link behind an invoice: customers pay on the page of the invoice, never on the page of the link. */
  hidden: boolean
}

export type PaymentLink = PaymentLinkOpening & {
  /** How many payments were opened, are `processing` now, and have reached `success`. */
  paymentsOpened: number
  paymentsProcessing: number
  paymentsCount: number
  deactivatedAt: Date | null
}

/**
 * Events of its payments arrive in the same bundle as the payment's own event: see `linkEventOf` in
 * src/kinds/payment.ts.
 */
export type PaymentLinkEvent = { at: Date } & {
  type:
    | 'open_payment'
    | 'payment_processing' // pending → processing
    | 'payment_reverted' //   processing → pending
    | 'payment_succeeded' //  processing → success
    | 'payment_accepted' //   any other state → success: late money, or accepted by the merchant
    | 'deactivate'
    | 'close' //              its invoice was voided
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
    recordDeactivation: assign({ deactivatedAt: ({ event }) => event.at }),
  },
  guards: {
    acceptsPayment: ({ context, event }) =>
      !isTaken(context) && (context.expiresAt === null || event.at < context.expiresAt),
    someProcessing: ({ context }) => context.paymentsProcessing > 0,
    isNotHidden: ({ context }) => !context.hidden,
    isHidden: ({ context }) => context.hidden,
    reachesLimitFromProcessing: ({ context }) => context.paymentsProcessing > 0 && reachesLimit(context),
    reachesLimit: ({ context }) => reachesLimit(context),
  },
  delays: { expiry: 0 },
})

/** All payments that the link can take are paid, or are about to be. */
export const isTaken = ({
  maxPayments,
  paymentsCount,
  paymentsProcessing,
}: Pick<PaymentLink, 'maxPayments' | 'paymentsCount' | 'paymentsProcessing'>): boolean =>
  maxPayments !== null && paymentsCount + paymentsProcessing >= maxPayments

const reachesLimit = ({ maxPayments, paymentsCount }: PaymentLink) =>
  maxPayments !== null && paymentsCount + 1 >= maxPayments

/** Payments that are already open continue after the link has ended, and are still counted. */
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
  // Field by field: a rest and a spread would copy each new link twice more.
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
    hidden: input.hidden,
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
        open_payment: { guard: 'acceptsPayment', actions: 'countOpened' },
        payment_processing: { actions: 'countProcessing' },
        payment_reverted: { guard: 'someProcessing', actions: 'uncountProcessing' },
        payment_succeeded: [
          { guard: 'reachesLimitFromProcessing', target: 'completed', actions: ['uncountProcessing', 'countSuccess'] },
          { guard: 'someProcessing', actions: ['uncountProcessing', 'countSuccess'] },
        ],
        payment_accepted: [
          { guard: 'reachesLimit', target: 'completed', actions: 'countSuccess' },
          { actions: 'countSuccess' },
        ],
        // The payments of an invoice end with the invoice.
        deactivate: { guard: 'isNotHidden', target: 'deactivated', actions: 'recordDeactivation' },
        close: { guard: 'isHidden', target: 'deactivated', actions: 'recordDeactivation' },
      },
    },
    deactivated: closed,
    completed: closed,
    expired: closed,
  },
})
