import { type } from 'arktype'
import { lazy } from '../../lazy.ts'
import { shape } from './shape.ts'
import { chainId, count, currency, example, exampleId, idOf, minor, texts, time, timeOrNull } from './wire.ts'

const paymentLinkStatus = lazy(() => type("'active' | 'deactivated' | 'completed' | 'expired'"))

export const paymentLinkShape = shape({
  name: 'PaymentLink',
  type: () =>
    type({
      object: "'payment_link'",
      id: idOf('plink'),
      merchantId: idOf('mer'),
      url: 'string',
      status: paymentLinkStatus(),
      amountMinor: minor(),
      currency: currency(),
      title: 'string | null',
      description: 'string | null',
      reference: 'string | null',
      assets: type({ chainId: chainId(), asset: 'string' }).array().or('null'),
      maxPayments: count().or('null'),
      paymentsCount: count(),
      windowMinutes: count(),
      expiresAt: timeOrNull(),
      successUrl: 'string | null',
      metadata: texts(),
      livemode: 'boolean',
      createdAt: time(),
      updatedAt: time(),
      deactivatedAt: timeOrNull(),
    }),
  example: {
    object: 'payment_link',
    id: exampleId('payment_link'),
    merchantId: exampleId('merchant'),
    url: `https://pay.lamps.shop/pay/${exampleId('payment_link')}`,
    status: 'active',
    amountMinor: 4900,
    currency: 'EUR',
    title: 'A lamp',
    description: 'Brass, for the desk.',
    reference: 'order 7',
    assets: null,
    maxPayments: 1,
    paymentsCount: 0,
    windowMinutes: 30,
    expiresAt: null,
    successUrl: 'https://lamps.shop/thanks',
    metadata: { shelf: 'B' },
    livemode: false,
    createdAt: example.at,
    updatedAt: example.at,
    deactivatedAt: null,
  },
})
