import { assertEvent, assign, emit, setup } from 'xstate'

export type DisputeOpening = {
  merchantId: string
  livemode: boolean
  apiVersion: string
  paymentId: string
  amountMinor: number
  currency: string
  reason:
    | 'fraudulent'
    | 'product_not_received'
    | 'product_unacceptable'
    | 'duplicate'
    | 'credit_not_processed'
    | 'general'
  description: string | null
}

export type Evidence = {
  uncategorizedText: string | null
  customerCommunication: string | null
  shippingTrackingNumber: string | null
  refundPolicy: string | null
}

export type Dispute = DisputeOpening & Evidence & { evidenceDueBy: Date }

export type DisputeEvent = { at: Date } & (
  | { type: 'evidence_given' | 'evidence_submitted'; evidence: Partial<Evidence> }
  | { type: 'resolve'; outcome: 'won' | 'lost' }
)

const DAY_MS = 24 * 60 * 60_000

export const disputeMachine = setup({
  types: {
    context: {} as Dispute,
    events: {} as DisputeEvent,
    input: {} as DisputeOpening & { at: Date },
    emitted: {} as { type: 'dispute.opened' | 'dispute.resolved' },
  },
  actions: {
    saveEvidence: assign(({ context, event }) => {
      assertEvent(event, ['evidence_given', 'evidence_submitted'])
      const { uncategorizedText, customerCommunication, shippingTrackingNumber, refundPolicy } = event.evidence
      return {
        uncategorizedText: uncategorizedText ?? context.uncategorizedText,
        customerCommunication: customerCommunication ?? context.customerCommunication,
        shippingTrackingNumber: shippingTrackingNumber ?? context.shippingTrackingNumber,
        refundPolicy: refundPolicy ?? context.refundPolicy,
      }
    }),
  },
  guards: {
    wins: ({ context }) => context.uncategorizedText === 'winning_evidence',
    loses: ({ context }) => context.uncategorizedText === 'losing_evidence',
    isWon: ({ event }) => event.type === 'resolve' && event.outcome === 'won',
  },
  delays: { evidenceDue: 0, decision: 0 },
}).createMachine({
  id: 'dispute',
  context: ({ input: { at, ...opening } }) => ({
    ...opening,
    uncategorizedText: null,
    customerCommunication: null,
    shippingTrackingNumber: null,
    refundPolicy: null,
    evidenceDueBy: new Date(at.getTime() + 7 * DAY_MS),
  }),
  initial: { target: 'needs_response', actions: emit({ type: 'dispute.opened' }) },
  states: {
    needs_response: {
      after: { evidenceDue: 'lost' },
      on: {
        evidence_given: { actions: 'saveEvidence' },
        evidence_submitted: { target: 'under_review', actions: 'saveEvidence' },
      },
    },
    under_review: {
      // With any other evidence the dispute stays here until it is resolved by a request.
      after: {
        decision: [
          { guard: 'wins', target: 'won' },
          { guard: 'loses', target: 'lost' },
        ],
      },
      on: {
        resolve: [{ guard: 'isWon', target: 'won' }, { target: 'lost' }],
      },
    },
    won: { type: 'final', entry: emit({ type: 'dispute.resolved' }) },
    lost: { type: 'final', entry: emit({ type: 'dispute.resolved' }) },
  },
})
