import { expect, test } from 'bun:test'
import { webhookEndpointRecord } from '../../src/records/webhook-endpoint.ts'
import { eventTypes, testEventType } from '../../src/resources.ts'
import { bodyOf, MAX_BODY_BYTES } from '../../src/webhooks/body.ts'
import { everyActor, subjects } from '../kinds/subjects.ts'
import { disputes } from '../machines/dispute-cases.ts'
import { largestMetadata, largestText } from '../machines/largest.ts'
import { T0 } from '../machines/table.ts'

/** By resource: the largest objects of its events, in any state. */
const largest: ReadonlyMap<string, readonly unknown[]> = new Map([
  ...subjects.map(({ kind, subject }) => {
    const actors = kind.publish ? everyActor(kind, subject) : []
    const large = actors.map(actor => ({ ...actor, context: { ...actor.context, ...subject.largest } }))
    return [kind.name, large.map(actor => kind.publish?.('', actor).object)] as const
  }),
  [
    'webhook_endpoint',
    [
      webhookEndpointRecord.render({
        ...{ id: crypto.randomUUID(), merchant_id: crypto.randomUUID(), livemode: false, state: 'enabled' },
        ...{ url: largestText(2_048), description: largestText(1_000) },
        ...{ event_types: [...eventTypes], disabled_reason: null, is_inbox: false, created_at: T0, updated_at: T0 },
      }),
    ],
  ],
])

test.each([...eventTypes, testEventType])('the largest %s fits into the size that receivers must accept', eventType => {
  const objects = largest.get(eventType.split('.')[0] ?? '') ?? []
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
  for (const { kind, subject } of subjects)
    if (kind.publish) expect([kind.name, Object.keys(subject.largest ?? {}).length > 0]).toEqual([kind.name, true])
  const { uncategorizedText, customerCommunication, shippingTrackingNumber, refundPolicy } = disputes.largest ?? {}
  const bytes = [uncategorizedText, customerCommunication, shippingTrackingNumber, refundPolicy].map(
    text => JSON.stringify(text).length,
  )
  expect(bytes.reduce((sum, each) => sum + each)).toBe(18 * 1_024)
  expect(JSON.stringify(largestMetadata)).toHaveLength(4_096)
})
