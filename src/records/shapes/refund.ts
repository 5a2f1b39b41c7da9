import { type } from 'arktype'
import { shape } from './shape.ts'
import { address, atomic, chainId, count, currency, example, idOf, minor, texts, time, txHash } from './wire.ts'

export const refundShape = shape({
  name: 'Refund',
  type: () =>
    type({
      object: "'refund'",
      id: idOf('re'),
      paymentId: idOf('pay'),
      merchantId: idOf('mer'),
      amountMinor: minor(),
      currency: currency(),
      status: "'requires_destination' | 'requires_signature' | 'processing' | 'processed' | 'failed' | 'canceled'",
      reason: "'requested_by_customer' | 'duplicate' | 'fraudulent' | 'overpayment' | 'late_payment' | 'other' | null",
      failureReason:
        "'reverted' | 'wrong_recipient' | 'wrong_asset' | 'amount_mismatch' | 'dropped' | 'unproven' | null",
      destination: address().or('null'),
      claimUrl: 'string | null',
      crypto: type({
        chainId: chainId(),
        asset: 'string',
        tokenAddress: address().or('null'),
        amount: atomic(),
        txHash: txHash().or('null'),
        confirmations: count(),
      }),
      unsignedTransaction: type({ chainId: chainId(), to: address(), data: /^0x([0-9a-f]{2})*$/, value: atomic() }).or(
        'null',
      ),
      metadata: texts(),
      livemode: 'boolean',
      createdAt: time(),
      updatedAt: time(),
    }),
  example: {
    object: 'refund',
    id: example.refundId,
    paymentId: example.paymentId,
    merchantId: example.merchantId,
    amountMinor: 1500,
    currency: 'EUR',
    status: 'requires_signature',
    reason: 'requested_by_customer',
    failureReason: null,
    destination: example.address,
    claimUrl: null,
    crypto: {
      chainId: 31337,
      asset: 'TUSD',
      tokenAddress: example.address,
      amount: '16200000',
      txHash: null,
      confirmations: 0,
    },
    unsignedTransaction: null,
    metadata: {},
    livemode: false,
    createdAt: example.at,
    updatedAt: example.at,
  },
})
