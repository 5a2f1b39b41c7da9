import { type } from 'arktype'
import { lazy } from '../../lazy.ts'
import { shape } from './shape.ts'
import {
  address,
  atomic,
  chainId,
  count,
  currency,
  example,
  exampleId,
  idOf,
  minor,
  texts,
  time,
  timeOrNull,
  txHash,
} from './wire.ts'

const customersType = lazy(() =>
  type({
    object: "'payment'",
    id: idOf('pay'),
    merchantId: idOf('mer'),
    method: "'crypto'",
    status: "'pending' | 'processing' | 'success' | 'failed' | 'expired' | 'canceled'",
    amountMinor: minor(),
    amountRefundedMinor: minor(),
    currency: currency(),
    customerEmail: 'string',
    customerName: 'string | null',
    failureReason:
      "'reverted' | 'wrong_recipient' | 'wrong_asset' | 'wrong_chain' | 'amount_mismatch' | 'underpaid' | null",
    paymentLinkId: idOf('plink'),
    expiresAt: time(),
    livemode: 'boolean',
    createdAt: time(),
    updatedAt: time(),
  }),
)

const paymentType = lazy(() => customersType().merge({ reference: 'string | null', metadata: texts() }))

const customersPayment = {
  object: 'payment',
  id: exampleId('payment'),
  merchantId: exampleId('merchant'),
  method: 'crypto',
  status: 'success',
  amountMinor: 4900,
  amountRefundedMinor: 0,
  currency: 'EUR',
  customerEmail: 'ada@example.com',
  customerName: 'Ada Example',
  failureReason: null,
  paymentLinkId: exampleId('payment_link'),
  expiresAt: '2026-11-20T12:30:00.000Z',
  livemode: false,
  createdAt: example.at,
  updatedAt: example.later,
}

const receiptUrl = `https://pay.lamps.shop/receipts/${exampleId('payment')}?s=q3Rk-0VdS0aXJb5nTnqkqjHkqk0GLkE6bqzqY1fyQ2s`

const payment = { ...customersPayment, reference: 'order 7', metadata: { shelf: 'B' } }

/** As in events. */
export const paymentShape = shape({ name: 'Payment', type: paymentType, example: payment })

const transfer = lazy(() =>
  type({
    txHash: txHash().or('null'),
    logIndex: count().or('null'),
    blockNumber: count(),
    blockHash: txHash(),
    minedAt: time(),
    from: address().or('null'),
    amount: atomic(),
    confirmations: count(),
    state: "'seen' | 'final' | 'orphaned'",
  }),
)

const crypto = lazy(() =>
  type({
    chainId: chainId().or('null'),
    network: 'string',
    asset: 'string | null',
    tokenAddress: address().or('null'),
    decimals: count().or('null'),
    address: address().or('null'),
    payerAddress: address().or('null'),
    txHash: txHash().or('null'),
    blockNumber: count().or('null'),
    confirmations: count(),
    confirmationsRequired: count().or('null'),
    amountExpected: atomic().or('null'),
    amountReceived: atomic(),
    exception: "'underpaid' | 'overpaid' | 'late' | 'wrong_asset' | 'wrong_chain' | null",
    quote: type({ rate: 'string', source: 'string | null', expiresAt: timeOrNull() }).or('null'),
    transfers: transfer().array(),
    paymentUri: 'string',
    explorerUrl: 'string | null',
  }),
)

const shown = {
  chainId: 31337,
  network: 'Sandbox',
  asset: 'TUSD',
  tokenAddress: example.address,
  decimals: 6,
  address: '0xde709f2102306220921060314715629080e2fb77',
  payerAddress: '0x27b1fdb04752bbc536007a920d24acb045561c26',
  txHash: example.txHash,
  blockNumber: 1042,
  confirmations: 12,
  confirmationsRequired: 3,
  amountExpected: '52920000',
  amountReceived: '52920000',
  exception: null,
  quote: { rate: '0.92592592', source: 'chainlink EUR / USD', expiresAt: '2026-11-20T12:15:00.000Z' },
  transfers: [
    {
      txHash: example.txHash,
      logIndex: 0,
      blockNumber: 1042,
      blockHash: example.blockHash,
      minedAt: '2026-11-20T12:02:10.000Z',
      from: '0x27b1fdb04752bbc536007a920d24acb045561c26',
      amount: '52920000',
      confirmations: 12,
      state: 'final',
    },
  ],
  paymentUri:
    'ethereum:0x52908400098527886E0F7030069857D2E4169EE7@31337/transfer?address=0xde709f2102306220921060314715629080e2fb77&uint256=52920000',
  explorerUrl: null,
}

/** As in responses: with its facts on the chain. */
export const paymentReadShape = shape({
  name: 'PaymentWithCrypto',
  type: () => paymentType().merge({ receiptUrl: 'string | null', crypto: crypto().or('null') }),
  example: {
    ...payment,
    receiptUrl,
    crypto: shown,
  },
})

/** The payment for its customer. */
export const checkoutPaymentShape = shape({
  name: 'CheckoutPayment',
  type: () => customersType().merge({ receiptUrl: 'string', crypto: crypto().or('null') }),
  example: { ...customersPayment, receiptUrl, crypto: shown },
})

/** A new payment for which the asset was picked immediately. */
export const openedPayment = {
  ...customersPayment,
  status: 'pending',
  updatedAt: example.at,
  receiptUrl,
  crypto: {
    ...shown,
    payerAddress: null,
    txHash: null,
    blockNumber: null,
    confirmations: 0,
    amountReceived: '0',
    transfers: [],
  },
}
