import { expect, test } from 'bun:test'
import type { Dispute } from '../../machines/dispute.ts'
import type { Payment } from '../../machines/payment-events.ts'
import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../../src/actors/kind.ts'
import { registered } from '../../src/actors/kind.ts'
import { disputeKind } from '../../src/kinds/dispute.ts'
import { paymentKind } from '../../src/kinds/payment.ts'
import { refundKind } from '../../src/kinds/refund.ts'
import { webhookEndpointRecord } from '../../src/records/webhook-endpoint.ts'
import { eventTypes, testEventType } from '../../src/resources.ts'
import { bodyOf, MAX_BODY_BYTES } from '../../src/webhooks/body.ts'
import { everyActor } from '../kinds/subjects.ts'
import { disputes } from '../machines/dispute-cases.ts'
import { payments } from '../machines/payment-cases.ts'
import { refunds } from '../machines/refund-cases.ts'
import { T0 } from '../machines/table.ts'

/** A character that takes six bytes in JSON, which is the maximum. */
const text = (length: number) => '\u0001'.repeat(length)
/** As large as src/http/metadata.ts allows. */
const metadata = { [text(40)]: text(200), rest: 'x'.repeat(4_096 - 6 * 240 - 17) }
const most = Number.MAX_SAFE_INTEGER

const largestPayment = (payment: Actor): Actor<Payment> => ({
  ...payment,
  context: {
    ...(payment.context as Payment),
    ...{ metadata, reference: text(200), customerName: text(200), customerEmail: text(254) },
    ...{ amountMinor: most, amountRefundedMinor: most },
  },
})
const largestRefund = (refund: Actor): Actor<Refund> => ({
  ...refund,
  context: { ...(refund.context as Refund), metadata, amountMinor: most, amount: 2n ** 256n - 1n, confirmations: most },
})
const largestDispute = (dispute: Actor): Actor<Dispute> => ({
  ...dispute,
  context: {
    ...(dispute.context as Dispute),
    amountMinor: most,
    // 18 KiB of JSON, the limit of src/commands/disputes.ts.
    ...{ uncategorizedText: text(2_000), customerCommunication: text(1_070), shippingTrackingNumber: 'xxxx' },
    refundPolicy: '',
  },
})

/** The largest object of events of the type, in any state. */
const largest: readonly { readonly of: RegExp; readonly objects: readonly unknown[] }[] = [
  {
    of: /^payment\./,
    objects: everyActor(registered(paymentKind), payments)
      .map(largestPayment)
      .map(payment => paymentKind.publish?.('', payment).object),
  },
  {
    of: /^refund\./,
    objects: everyActor(registered(refundKind), refunds)
      .map(largestRefund)
      .map(refund => refundKind.publish?.('', refund).object),
  },
  {
    of: /^dispute\./,
    objects: everyActor(registered(disputeKind), disputes)
      .map(largestDispute)
      .map(dispute => disputeKind.publish?.('', dispute).object),
  },
  {
    of: /^webhook_endpoint\./,
    objects: [
      webhookEndpointRecord({
        ...{ id: crypto.randomUUID(), merchant_id: crypto.randomUUID(), livemode: false, state: 'enabled' },
        ...{ url: text(2_048), description: text(1_000), event_types: [...eventTypes], disabled_reason: null },
        ...{ created_at: T0, updated_at: T0 },
      }),
    ],
  },
]

test.each([...eventTypes, testEventType])('the largest %s fits into the size that receivers must accept', eventType => {
  const objects = largest.flatMap(({ of, objects }) => (of.test(eventType) ? objects : []))
  expect(objects.length).toBeGreaterThan(0)
  for (const object of objects) {
    const body = bodyOf({
      ...{ eventId: crypto.randomUUID(), eventType, eventCreated: '99999999999', livemode: false },
      ...{ apiVersion: '2026-11-20', object: JSON.stringify(object) },
    })
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_BODY_BYTES)
  }
})

test('the objects measured here are as large as possible', () => {
  const [dispute] = everyActor(registered(disputeKind), disputes).map(largestDispute)
  const { uncategorizedText, customerCommunication, shippingTrackingNumber, refundPolicy } = dispute?.context ?? {}
  const bytes = [uncategorizedText, customerCommunication, shippingTrackingNumber, refundPolicy].map(
    said => JSON.stringify(said).length,
  )
  expect(bytes.reduce((sum, each) => sum + each)).toBe(18 * 1_024)
  expect(JSON.stringify(metadata)).toHaveLength(4_096)
})
