import { describe, expect, test } from 'bun:test'
import { type Type, type } from 'arktype'
import type { Actor, Kind } from '../../src/actors/kind.ts'
import type { Shape } from '../../src/fields/shape.ts'
import { deliveryKind } from '../../src/kinds/delivery.ts'
import { disputeKind, disputeRecord } from '../../src/kinds/dispute.ts'
import { invoiceKind } from '../../src/kinds/invoice.ts'
import { paymentKind } from '../../src/kinds/payment.ts'
import { paymentLinkKind, paymentLinkRecord } from '../../src/kinds/payment-link.ts'
import { paymentRecord } from '../../src/kinds/payment-record.ts'
import { refundKind } from '../../src/kinds/refund.ts'
import { refundRecord } from '../../src/kinds/refund-record.ts'
import type { WebhookEndpointRow } from '../../src/queries/webhook-endpoints.ts'
import { accountRecord } from '../../src/records/account.ts'
import { apiKeyRecord, newApiKeyRecord } from '../../src/records/api-key.ts'
import { cryptoFactsOf } from '../../src/records/crypto-facts.ts'
import { deliveryRecord } from '../../src/records/delivery.ts'
import { eventRecord } from '../../src/records/event.ts'
import { inviteRecord, newInviteRecord } from '../../src/records/invite.ts'
import { invoiceReadRecord } from '../../src/records/invoice.ts'
import { memberRecord } from '../../src/records/member.ts'
import { paymentReadRecord } from '../../src/records/payment.ts'
import { securityEventRecord } from '../../src/records/security-event.ts'
import { sessionRecord } from '../../src/records/session.ts'
import { settingsRecord } from '../../src/records/settings.ts'
import { accountShape, signedInShape } from '../../src/records/shapes/account.ts'
import { newWebhookEndpointRecord, webhookEndpointRecord } from '../../src/records/webhook-endpoint.ts'
import { eventTypes, testEventType } from '../../src/resources.ts'
import { actorIn, subjects } from '../kinds/subjects.ts'
import { deliveries } from '../machines/delivery-cases.ts'
import { disputes } from '../machines/dispute-cases.ts'
import { invoices } from '../machines/invoice-cases.ts'
import { hash, payments } from '../machines/payment-cases.ts'
import { paymentLinks } from '../machines/payment-link-cases.ts'
import { refunds } from '../machines/refund-cases.ts'
import { type Subject, T0 } from '../machines/table.ts'

/** To build one takes longer than to check a record. */
const strictTypes = new Map<Shape, Type>()

const strictTypeOf = (shape: Shape): Type => {
  const strict = strictTypes.get(shape) ?? shape.type().onDeepUndeclaredKey('reject')
  strictTypes.set(shape, strict)
  return strict
}

/** All differences of a record from its schema: missing and additional fields included. */
const faults = (shape: Shape, record: unknown): string => {
  const parsed = strictTypeOf(shape)(record)
  return parsed instanceof type.errors ? parsed.summary : ''
}

/** The actor in every situation of its machine's tests. */
const everySituation = <C>(kind: Kind<C>, subject: Subject): readonly Actor<C>[] =>
  Object.keys(subject.situations).map(situation => actorIn(kind, subject, situation))

const id = '0193a000-0000-7000-8000-00000000000f'
const at = { created_at: T0, updated_at: T0 }

const endpoint: WebhookEndpointRow = {
  ...{ id, merchant_id: id, livemode: true, url: 'https://lamps.example/', description: null, ...at },
  ...{ event_types: ['payment.late'], state: 'enabled', disabled_reason: null, is_inbox: false },
}

const moved = {
  ...{ block_number: 7, block_hash: hash(8), mined_at: '2026-11-20T12:01:00+00:00' },
  ...{ from_address: null, amount: '1', state: 'seen' as const },
}
/** A transfer of every kind: with a log, with only a transaction, and from a contract. */
const shownAll = {
  head: 9,
  transfers: [3, -1, -2].map(log_index => ({ ...moved, tx_hash: hash(log_index + 3), log_index })),
}

describe('in every situation the record matches its schema exactly:', () => {
  test('a payment', () => {
    for (const payment of everySituation(paymentKind, payments)) {
      expect(faults(paymentRecord, paymentRecord.render(payment))).toBe('')
      for (const shown of [null, shownAll]) {
        const facts = cryptoFactsOf(payment.context, shown, { find: () => undefined })
        expect(
          faults(
            paymentReadRecord,
            paymentReadRecord.render(payment, { facts, receiptUrl: null, invoiceNumber: null }),
          ),
        ).toBe('')
      }
      expect(
        faults(
          paymentReadRecord,
          paymentReadRecord.render(payment, { facts: null, receiptUrl: 'https://…', invoiceNumber: 'INV-1' }),
        ),
      ).toBe('')
    }
  })

  test('a payment link', () => {
    for (const link of everySituation(paymentLinkKind, paymentLinks))
      expect(faults(paymentLinkRecord, paymentLinkRecord.render(link, { publicUrl: 'https://pay.example' }))).toBe('')
  })

  test('a refund', () => {
    const unsignedTransaction = { chainId: 1, to: `0x${'a'.repeat(40)}`, data: '0x', value: '0' }
    for (const refund of everySituation(refundKind, refunds)) {
      expect(faults(refundRecord, refundRecord.render(refund, {}))).toBe('')
      expect(faults(refundRecord, refundRecord.render(refund, { claimUrl: 'https://…', unsignedTransaction }))).toBe('')
    }
  })

  test('a dispute', () => {
    for (const dispute of everySituation(disputeKind, disputes))
      expect(faults(disputeRecord, disputeRecord.render(dispute))).toBe('')
  })

  test('an invoice', () => {
    for (const invoice of everySituation(invoiceKind, invoices)) {
      if (invoice.state === 'deleted') continue
      // The cases name payments by texts.
      const allocations = invoice.context.allocations.map(each => ({ ...each, paymentId: id }))
      const shown = { ...invoice, context: { ...invoice.context, allocations } }
      expect(faults(invoiceReadRecord, invoiceReadRecord.render(shown, { url: null }))).toBe('')
    }
  })

  test('a delivery', () => {
    const attempt = { number: 1, trigger: 'manual' as const, startedAt: T0 }
    const open = {
      ...{ ...attempt, durationMs: null, outcome: null, httpStatus: null, responseSnippet: null },
      ...{ signedS: null, responseHeaders: null },
    }
    const ended = {
      ...{ ...attempt, durationMs: 7, outcome: 'http_error', httpStatus: 500, responseSnippet: '' },
      ...{ signedS: 1_795_176_000, responseHeaders: { date: 'now' } },
    }
    for (const delivery of everySituation(deliveryKind, deliveries))
      expect(faults(deliveryRecord, deliveryRecord.render(delivery, [ended, open]))).toBe('')
  })

  test('an event of every type, and of every situation', () => {
    const objects = new Map<string, readonly unknown[]>([
      ['webhook_endpoint', [webhookEndpointRecord.render(endpoint)]],
    ])
    for (const { kind, subject } of subjects)
      objects.set(
        kind.name,
        // A draft that was deleted has no events from then on. No commit ends in `new`.
        everySituation(kind, subject)
          .filter(({ state }) => state !== 'deleted' && state !== 'new')
          .flatMap(actor => kind.publish?.(`${kind.name}.reminder`, actor).object ?? []),
      )
    const complete = new Set<string>()
    for (const eventType of [...eventTypes, testEventType]) {
      const kindName = eventType.split('.')[0] ?? ''
      const found = objects.get(kindName) ?? []
      expect([eventType, found.length > 0]).toEqual([eventType, true])
      // The object does not depend on the type: the first type of a kind is checked with every situation.
      for (const object of complete.has(kindName) ? found.slice(0, 1) : found) {
        const event = { id, type: eventType, createdAt: T0, livemode: true, apiVersion: '2026-11-20', object }
        expect(faults(eventRecord, eventRecord.render(event))).toBe('')
      }
      complete.add(kindName)
    }
  })
})

describe('made from a row, with and without optional values, the record matches its schema exactly:', () => {
  test('an API key', () => {
    const row = {
      ...{ id, merchant_id: id, name: 'A key', scopes: ['*' as const], tag: 'abcd', last4: 'wxyz', livemode: true },
      ...{ last_used_at: null, expires_at: null, revoked_at: null, ...at },
    }
    expect(faults(apiKeyRecord, apiKeyRecord.render(row))).toBe('')
    expect(faults(newApiKeyRecord, newApiKeyRecord.render(row, { secret: 'sk_live_…' }))).toBe('')
    expect(
      faults(apiKeyRecord, apiKeyRecord.render({ ...row, last_used_at: T0, expires_at: T0, revoked_at: T0 })),
    ).toBe('')
    expect(faults(apiKeyRecord, newApiKeyRecord.render(row, { secret: 'sk_live_…' }))).toBe('secret must be removed')
  })

  test('a webhook endpoint', () => {
    expect(faults(webhookEndpointRecord, webhookEndpointRecord.render(endpoint))).toBe('')
    expect(faults(newWebhookEndpointRecord, newWebhookEndpointRecord.render(endpoint, { secret: 'whsec_…' }))).toBe('')
    const disabled = {
      ...endpoint,
      state: 'disabled' as const,
      disabled_reason: 'gone' as const,
      description: 'The shop',
    }
    expect(faults(webhookEndpointRecord, webhookEndpointRecord.render(disabled))).toBe('')
    expect(faults(webhookEndpointRecord, newWebhookEndpointRecord.render(endpoint, { secret: 'whsec_…' }))).toBe(
      'signingSecret must be removed',
    )
  })

  test('an account', () => {
    const account = {
      ...{ id, email: 'anna@lamps.example', password_hash: '', mfa_secret: null },
      ...{ mfa_enabled_at: T0, operator: true },
    }
    const memberships = (['owner', 'developer', 'viewer'] as const).map(role => ({ merchantId: id, name: 'A', role }))
    const record = accountRecord(account, memberships)
    expect(faults(accountShape, record)).toBe('')
    expect(faults(signedInShape, { accessToken: 'eyJ…', expiresIn: 900, ...record })).toBe('')
  })

  test('a member, an invite and a session', () => {
    const row = { id, account_id: id, merchant_id: id, email: 'a@b', role: 'owner' as const, mfa_enabled: false, ...at }
    expect(faults(memberRecord, memberRecord.render(row))).toBe('')
    for (const [expired, email] of [[true, null] as const, [false, 'a@b'] as const]) {
      const record = inviteRecord.render({ ...row, email, created_by: id, expired, expires_at: T0 })
      expect(faults(inviteRecord, record)).toBe('')
      expect(faults(newInviteRecord, { ...record, url: 'https://…', token: '…' })).toBe('')
    }
    for (const user_agent of [null, 'Mozilla/5.0'])
      expect(
        faults(
          sessionRecord,
          sessionRecord.render({ id, address: '::1', user_agent, created_at: T0, last_used_at: T0 }, { currentId: id }),
        ),
      ).toBe('')
  })

  test('an entry of the audit log', () => {
    const row = {
      id,
      merchant_id: id,
      actor: 'operator',
      email: null,
      address: null,
      action: 'a.b',
      details: {},
      at: T0,
    }
    expect(faults(securityEventRecord, securityEventRecord.render(row))).toBe('')
    const more = { email: 'a@b', address: '::1', details: { keyId: 'key_…', scopes: ['*'] } }
    expect(faults(securityEventRecord, securityEventRecord.render({ ...row, ...more }))).toBe('')
  })

  test('settings', () => {
    const row = {
      ...{ merchant_id: id, livemode: true, name: 'Lamps', tolerance_bps: 50, ...at },
      ...{ logo: null, accent_color: null, support_email: null, support_url: null, receiving_address: null },
      ...{
        receiving_addresses: {},
        confirmations: {},
        late_policy: 'needs_attention' as const,
        refund_mode: 'manual' as const,
      },
    }
    expect(faults(settingsRecord, settingsRecord.render(row, { publicUrl: 'https://pay.example' }))).toBe('')
    const address = `0x${'A'.repeat(40)}`
    const more = {
      logo: 'a.png',
      accent_color: '#00ffaa',
      receiving_address: address,
      receiving_addresses: { 1: address },
    }
    expect(
      faults(
        settingsRecord,
        settingsRecord.render({ ...row, ...more, confirmations: { 1: 12 } }, { publicUrl: 'https://pay.example' }),
      ),
    ).toBe('')
  })
})
