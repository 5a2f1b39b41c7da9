import { type } from 'arktype'
import { type PaymentLink, paymentLinkMachine } from '../../machines/payment-link.ts'
import type { Actor, Kind } from '../actors/kind.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { exampleId } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { chainId, count, currency, flag, minor, text, textOrNull, texts, timeOrNull } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import { lazy } from '../lazy.ts'
import { resources } from '../resources.ts'

export const paymentLinkKind: Kind<PaymentLink> = {
  name: 'payment_link',
  table: resources.payment_link.table,
  machine: paymentLinkMachine,
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    amountMinor: 'minor',
    currency: 'text',
    title: 'text',
    description: 'text',
    reference: 'text',
    assets: 'json',
    maxPayments: 'integer',
    windowMinutes: 'integer',
    expiresAt: 'time',
    successUrl: 'text',
    metadata: 'json',
    hidden: 'boolean',
    paymentsOpened: 'integer',
    paymentsProcessing: 'integer',
    paymentsCount: 'integer',
    deactivatedAt: 'time',
  },
  history: [
    'amountMinor',
    'currency',
    'reference',
    'maxPayments',
    'expiresAt',
    'paymentsOpened',
    'paymentsProcessing',
    'paymentsCount',
    'deactivatedAt',
  ],
  timers: { expiry: ({ expiresAt }) => expiresAt },
  refusals: { payment_links_reference_once: 'duplicate_reference' },
}

export const paymentLinkStatus = lazy(() => type.enumerated(...Object.keys(paymentLinkMachine.states)))

/** `publicUrl`: base URL for customers, without a slash at the end. */
export const paymentLinkRecord = recordOf<Actor<PaymentLink>, { readonly publicUrl: string }>()('PaymentLink', {
  object: constantField('payment_link'),
  id: idField('payment_link', link => link.id),
  merchantId: actorFields.merchantId,
  url: {
    type: text,
    about: 'Page for your customer: send them this link. For the link of an invoice the page does not exist.',
    example: `https://pay.lamps.shop/pay/${exampleId('payment_link')}`,
    of: ({ id }, { publicUrl }) => `${publicUrl}/pay/${encodeId('plink', id)}`,
  },
  status: {
    type: paymentLinkStatus,
    about:
      '`active`: can be paid. `deactivated`: you have closed it. `completed`: the maximum number of payments has succeeded. `expired`: its expiration time is over.',
    example: 'active',
    of: ({ state }) => state,
  },
  amountMinor: { type: minor, example: 4900, of: ({ context }) => context.amountMinor },
  currency: { type: currency, example: 'EUR', of: ({ context }) => context.currency },
  title: {
    type: textOrNull,
    about: 'What the customer buys, in a few words. Null if not set.',
    example: 'A lamp',
    of: ({ context }) => context.title,
  },
  description: {
    type: textOrNull,
    about: 'What the customer buys, in detail. Null if not set.',
    example: 'Brass, for the desk.',
    of: ({ context }) => context.description,
  },
  reference: { type: textOrNull, example: 'order 7', of: ({ context }) => context.reference },
  assets: {
    type: () => type({ chainId: chainId(), asset: 'string' }).array().or('null'),
    about: 'Assets that the customer can pay with. Null allows every asset that the server offers.',
    example: null,
    of: ({ context }) => context.assets?.map(({ chainId, asset }) => ({ chainId, asset })) ?? null,
  },
  maxPayments: {
    type: () => count().or('null'),
    about: 'Number of successful payments after which the link is completed. Null means no limit.',
    example: 1,
    of: ({ context }) => context.maxPayments,
  },
  paymentsCount: {
    type: count,
    about: 'Number of successful payments.',
    example: 0,
    of: ({ context }) => context.paymentsCount,
  },
  windowMinutes: {
    type: count,
    about:
      'Length of the payment window in minutes, counted from the time at which the customer opens the payment. Default: 30.',
    example: 30,
    of: ({ context }) => context.windowMinutes,
  },
  expiresAt: {
    type: timeOrNull,
    about: 'Time at which the link expires. Null if it does not expire.',
    example: null,
    of: ({ context }) => context.expiresAt?.toISOString() ?? null,
  },
  successUrl: {
    type: textOrNull,
    about: 'Page to which a customer is sent after the payment (http or https). Null if not set.',
    example: 'https://lamps.shop/thanks',
    of: ({ context }) => context.successUrl,
  },
  metadata: { type: texts, example: { shelf: 'B' }, of: ({ context }) => context.metadata },
  hidden: {
    type: flag,
    about:
      'Whether it is the link of an invoice. Its payments are opened on the page of the invoice, and it cannot be deactivated.',
    example: false,
    of: ({ context }) => context.hidden,
  },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: actorFields.updatedAt,
  deactivatedAt: {
    type: timeOrNull,
    about: 'Time at which the link was deactivated. Null if it was not.',
    example: null,
    of: ({ context }) => context.deactivatedAt?.toISOString() ?? null,
  },
})
