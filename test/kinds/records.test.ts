import { describe, expect, test } from 'bun:test'
import { checksummed } from '../../src/chain/checksum.ts'
import { deliveryKind } from '../../src/kinds/delivery.ts'
import { disputeKind, disputeRecord } from '../../src/kinds/dispute.ts'
import { paymentKind } from '../../src/kinds/payment.ts'
import { paymentLinkKind, paymentLinkRecord } from '../../src/kinds/payment-link.ts'
import { paymentRecord } from '../../src/kinds/payment-record.ts'
import { refundKind } from '../../src/kinds/refund.ts'
import { refundRecord } from '../../src/kinds/refund-record.ts'
import { deliveryRecord } from '../../src/records/delivery.ts'
import { eventBody, eventRecord } from '../../src/records/event.ts'
import { paymentReadRecord } from '../../src/records/payment.ts'
import { deliveries } from '../machines/delivery-cases.ts'
import { disputes } from '../machines/dispute-cases.ts'
import { hash, payments } from '../machines/payment-cases.ts'
import { paymentLinks } from '../machines/payment-link-cases.ts'
import { refunds } from '../machines/refund-cases.ts'
import { T0 } from '../machines/table.ts'
import { actorIn } from './subjects.ts'

const always = {
  livemode: false,
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:01:00.000Z',
}
const own = (prefix: string) => `${prefix}_01jeg00000e00800000000000f`
const merchantId = 'mer_01jeg00000e008000000000001'
const paymentId = 'pay_01jeg00000e008000000000003'
const address = (digit: string) => `0x${digit.repeat(40)}`
const spelled = (digit: string) => checksummed(address(digit))

describe('a payment', () => {
  const refunded = {
    ...always,
    object: 'payment',
    id: own('pay'),
    merchantId,
    method: 'crypto',
    status: 'success',
    amountMinor: 1000,
    amountRefundedMinor: 300,
    currency: 'USD',
    customerEmail: 'ada@example.com',
    customerName: null,
    failureReason: null,
    paymentLinkId: 'plink_01jeg00000e008000000000002',
    customerId: null,
    invoiceId: null,
    reference: 'order 7',
    metadata: { shelf: 'B' },
    expiresAt: '2026-11-20T12:30:00.000Z',
  }

  test('in an event has no crypto', () => {
    expect(paymentRecord.render(actorIn(paymentKind, payments, 'refunded'))).toEqual(refunded)
  })

  test('when read has its transfers, and confirmations counted to the head', () => {
    const transfer = { txHash: hash(7), logIndex: 2, blockHash: hash(8), from: address('d'), amount: 400n }
    const minedAt = '2026-11-20T12:01:00.000Z'
    const from = spelled('d')
    const facts = {
      network: 'Sandbox',
      head: 9,
      txHash: hash(7),
      paymentUri: 'ethereum:…',
      explorerUrl: null,
      transfers: [
        { ...transfer, minedAt: new Date(minedAt), blockNumber: 7, state: 'final' as const },
        { ...transfer, minedAt: new Date(minedAt), blockNumber: 8, amount: 600n, state: 'seen' as const },
        { ...transfer, minedAt: new Date(minedAt), blockNumber: 9, txHash: hash(6), state: 'orphaned' as const },
      ],
    }
    expect(
      paymentReadRecord.render(actorIn(paymentKind, payments, 'refunded'), {
        facts,
        receiptUrl: null,
        invoiceNumber: null,
      }),
    ).toEqual({
      ...refunded,
      attention: false,
      invoiceNumber: null,
      receiptUrl: null,
      crypto: {
        chainId: 31337,
        network: 'Sandbox',
        asset: 'TUSD',
        tokenAddress: spelled('a'),
        decimals: 2,
        address: spelled('b'),
        payerAddress: null,
        txHash: hash(7),
        blockNumber: 7,
        confirmations: 2,
        confirmationsRequired: 3,
        amountExpected: '1000',
        amountReceived: '1000',
        exception: null,
        quote: null,
        transfers: [
          { ...transfer, minedAt, from, blockNumber: 7, amount: '400', confirmations: 3, state: 'final' },
          { ...transfer, minedAt, from, blockNumber: 8, amount: '600', confirmations: 2, state: 'seen' },
          {
            ...{ ...transfer, minedAt, from, blockNumber: 9, amount: '400' },
            ...{ confirmations: 0, state: 'orphaned', txHash: hash(6) },
          },
        ],
        paymentUri: 'ethereum:…',
        explorerUrl: null,
      },
    })
  })

  test('without an asset has null for crypto, and with ether its quote', () => {
    expect(
      paymentReadRecord.render(actorIn(paymentKind, payments, 'new'), {
        facts: null,
        receiptUrl: null,
        invoiceNumber: null,
      }).crypto,
    ).toBeNull()
    const facts = { network: 'Sandbox', head: 0, txHash: null, paymentUri: '', explorerUrl: null, transfers: [] }
    expect(
      paymentReadRecord.render(actorIn(paymentKind, payments, 'picked ether'), {
        facts,
        receiptUrl: null,
        invoiceNumber: null,
      }).crypto,
    ).toMatchObject({
      txHash: null,
      confirmations: 0,
      amountReceived: '0',
      quote: { rate: '2500.00', source: 'chainlink', expiresAt: '2026-11-20T12:10:00.000Z' },
    })
  })
})

test('a refund shows its claim page and transaction only to callers that may act on it', () => {
  const refund = actorIn(refundKind, refunds, 'processed')
  const record = {
    ...always,
    object: 'refund',
    id: own('re'),
    paymentId,
    merchantId,
    creditNoteId: null,
    amountMinor: 300,
    currency: 'USD',
    status: 'processed',
    reason: 'requested_by_customer' as const,
    failureReason: null,
    destination: address('c'),
    claimUrl: null,
    crypto: {
      chainId: 31337,
      asset: 'TUSD',
      tokenAddress: spelled('a'),
      amount: '3000000',
      txHash: hash(1),
      confirmations: 3,
    },
    unsignedTransaction: null,
    metadata: {},
  }
  expect(refundRecord.render(refund, {})).toEqual(record)
  const unsignedTransaction = { chainId: 31337, to: address('a'), data: '0x', value: '0' }
  expect(refundRecord.render(refund, { confirmations: 9, claimUrl: 'https://…', unsignedTransaction })).toEqual({
    ...record,
    claimUrl: 'https://…',
    crypto: { ...record.crypto, confirmations: 9 },
    unsignedTransaction: { ...unsignedTransaction, to: spelled('a') },
  })
})

test('a payment link has the URL of its page', () => {
  const link = actorIn(paymentLinkKind, paymentLinks, 'deactivated')
  expect(paymentLinkRecord.render(link, { publicUrl: 'https://pay.example' })).toEqual({
    ...always,
    object: 'payment_link',
    id: own('plink'),
    merchantId,
    url: `https://pay.example/pay/${own('plink')}`,
    status: 'deactivated',
    amountMinor: 1000,
    currency: 'USD',
    title: 'A lamp',
    description: null,
    reference: 'order 7',
    assets: [{ chainId: 31337, asset: 'TUSD' }],
    maxPayments: 2,
    paymentsCount: 0,
    windowMinutes: 30,
    expiresAt: '2026-11-20T13:00:00.000Z',
    successUrl: null,
    metadata: {},
    hidden: false,
    deactivatedAt: '2026-11-20T12:00:00.000Z',
  })
})

test('a dispute has an outcome once it is resolved', () => {
  const record = {
    ...always,
    object: 'dispute',
    id: own('dp'),
    paymentId,
    merchantId,
    amountMinor: 1000,
    currency: 'USD',
    reason: 'fraudulent' as const,
    status: 'under_review',
    evidence: {
      uncategorizedText: null,
      customerCommunication: null,
      shippingTrackingNumber: '1Z',
      refundPolicy: null,
    },
    evidenceDueBy: '2026-11-27T12:00:00.000Z',
    outcome: null,
  }
  expect(disputeRecord.render(actorIn(disputeKind, disputes, 'submitted'))).toEqual(record)
  expect(disputeRecord.render(actorIn(disputeKind, disputes, 'submit tracking, resolve won'))).toEqual({
    ...record,
    status: 'won',
    outcome: 'won',
  })
})

test('a delivery being sent is pending, and lists its attempts', () => {
  const attempt = {
    number: 1,
    trigger: 'automatic' as const,
    startedAt: T0,
    durationMs: 12,
    outcome: 'answered',
    httpStatus: 500,
    responseSnippet: 'sorry',
    responseHeaders: { 'content-type': 'text/plain' },
  }
  expect(deliveryRecord.render(actorIn(deliveryKind, deliveries, 'second'), [{ ...attempt, signedS: null }])).toEqual({
    ...always,
    object: 'webhook_delivery',
    id: own('whd'),
    eventId: '0193a000-0000-7000-8000-000000000004',
    eventType: 'payment.succeeded',
    endpointId: 'whe_01jeg00000e008000000000005',
    status: 'pending',
    nextAttemptAt: null,
    attempts: [{ ...attempt, startedAt: '2026-11-20T12:00:00.000Z', requestHeaders: null }],
  })
  expect(deliveryRecord.render(actorIn(deliveryKind, deliveries, 'waiting'), [])).toMatchObject({
    status: 'pending',
    nextAttemptAt: '2026-11-20T12:00:05.000Z',
  })
})

test('the body of a delivery has exactly six fields, and an event in a list has its object type', () => {
  const event = {
    id: '0193a000-0000-7000-8000-000000000004',
    type: 'payment.succeeded',
    createdAt: new Date('2026-11-20T12:00:00.999Z'),
    livemode: false,
    apiVersion: '2026-11-20',
    object: { object: 'payment' },
  }
  const body = {
    id: '0193a000-0000-7000-8000-000000000004',
    type: 'payment.succeeded',
    created: 1_795_176_000,
    livemode: false,
    api_version: '2026-11-20',
    data: { object: { object: 'payment' } },
  }
  expect(eventBody(event)).toEqual(body)
  expect(Object.keys(eventBody(event))).toEqual(['id', 'type', 'created', 'livemode', 'api_version', 'data'])
  expect(eventRecord.render(event)).toEqual({ object: 'event', ...body })
})
