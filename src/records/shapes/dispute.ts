import { type } from 'arktype'
import { shape } from './shape.ts'
import { currency, example, exampleId, idOf, minor, time } from './wire.ts'

export const disputeShape = shape({
  name: 'Dispute',
  type: () =>
    type({
      object: "'dispute'",
      id: idOf('dp'),
      paymentId: idOf('pay'),
      merchantId: idOf('mer'),
      amountMinor: minor(),
      currency: currency(),
      reason:
        "'fraudulent' | 'product_not_received' | 'product_unacceptable' | 'duplicate' | 'credit_not_processed' | 'general'",
      status: "'needs_response' | 'under_review' | 'won' | 'lost'",
      evidence: {
        uncategorizedText: 'string | null',
        customerCommunication: 'string | null',
        shippingTrackingNumber: 'string | null',
        refundPolicy: 'string | null',
      },
      evidenceDueBy: time(),
      outcome: "'won' | 'lost' | null",
      livemode: 'boolean',
      createdAt: time(),
      updatedAt: time(),
    }),
  example: {
    object: 'dispute',
    id: exampleId('dispute'),
    paymentId: exampleId('payment'),
    merchantId: exampleId('merchant'),
    amountMinor: 4900,
    currency: 'EUR',
    reason: 'product_not_received',
    status: 'needs_response',
    evidence: {
      uncategorizedText: null,
      customerCommunication: null,
      shippingTrackingNumber: null,
      refundPolicy: null,
    },
    evidenceDueBy: '2026-11-27T12:00:00.000Z',
    outcome: null,
    livemode: false,
    createdAt: example.at,
    updatedAt: example.at,
  },
})
