import { type } from 'arktype'
import { example, exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { address, atomic, chainId, count, currency, idOf, minor, timeOrNull } from '../../fields/wire.ts'
import { paymentLinkStatus } from '../../kinds/payment-link.ts'
import { lazy } from '../../lazy.ts'
import { checkoutPaymentRecord } from '../payment.ts'

const link = lazy(() =>
  type({
    id: idOf('plink'),
    merchantName: 'string',
    title: 'string | null',
    description: 'string | null',
    amountMinor: minor(),
    currency: currency(),
    status: paymentLinkStatus(),
  }),
)

export const payableOption = lazy(() =>
  type({
    chainId: chainId(),
    network: 'string',
    asset: 'string',
    decimals: count(),
    tokenAddress: address().or('null'),
    amount: atomic(),
    networkFeeMinor: minor().or('null'),
    quoteExpiresAt: timeOrNull(),
  }),
)

export const payableOptionsExample = [
  {
    chainId: 31337,
    network: 'Sandbox',
    asset: 'ETH',
    decimals: 18,
    tokenAddress: null,
    amount: '21168000000000000',
    networkFeeMinor: 6,
    quoteExpiresAt: '2026-11-20T12:15:00.000Z',
  },
  {
    chainId: 31337,
    network: 'Sandbox',
    asset: 'TUSD',
    decimals: 6,
    tokenAddress: example.address,
    amount: '52920000',
    networkFeeMinor: 17,
    quoteExpiresAt: '2026-11-20T12:15:00.000Z',
  },
]

/** A payment link for its customers. */
export const visitedLinkShape = shape({
  name: 'VisitedLink',
  type: () => type({ link: link(), options: payableOption().array() }),
  example: {
    link: {
      id: exampleId('payment_link'),
      merchantName: 'Lamps',
      title: 'A lamp',
      description: 'Brass, for the desk.',
      amountMinor: 4900,
      currency: 'EUR',
      status: 'active',
    },
    options: payableOptionsExample,
  },
})

/** A new payment for which the asset was picked immediately. */
const openedPayment = {
  ...checkoutPaymentRecord.example,
  status: 'pending',
  updatedAt: example.at,
  crypto: {
    ...checkoutPaymentRecord.example.crypto,
    payerAddress: null,
    txHash: null,
    blockNumber: null,
    confirmations: 0,
    amountReceived: '0',
    transfers: [],
  },
}

export const openedCheckoutShape = shape({
  name: 'OpenedCheckout',
  type: () => type({ payment: checkoutPaymentRecord.type(), clientSecret: 'string' }),
  example: {
    payment: openedPayment,
    clientSecret: `${exampleId('payment')}_secret_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`,
  },
  parts: [checkoutPaymentRecord],
})
