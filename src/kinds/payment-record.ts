import { type } from 'arktype'
import { paymentMachine } from '../../machines/payment.ts'
import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { example, exampleId } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { currency, idOf, minor, text, textOrNull, texts, time } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import { lazy } from '../lazy.ts'

export const paymentStatus = lazy(() => type.enumerated(...Object.keys(paymentMachine.states)))

/** A payment as in events. Responses add `crypto`. */
export const paymentRecord = recordOf<Actor<Payment>>()('Payment', {
  object: constantField('payment'),
  id: idField('payment', payment => payment.id),
  merchantId: actorFields.merchantId,
  method: { ...constantField('crypto'), about: 'Payment method.' },
  status: {
    type: paymentStatus,
    about:
      '`pending`: waiting for money. `processing`: the amount was seen on the chain and is not final yet. `success`: paid; final. `failed`: see `failureReason`. `expired`: the window ended without money. `canceled`: you canceled it.',
    example: 'success',
    of: ({ state }) => state,
  },
  amountMinor: { type: minor, example: 4900, of: ({ context }) => context.amountMinor },
  amountRefundedMinor: {
    type: minor,
    about: 'Sum of the refunds with status `processed`, in the minor unit of the currency.',
    example: 0,
    of: ({ context }) => context.amountRefundedMinor,
  },
  currency: { type: currency, example: 'EUR', of: ({ context }) => context.currency },
  customerEmail: {
    type: text,
    about: 'E-mail address that the customer entered.',
    example: 'ada@example.com',
    of: ({ context }) => context.customerEmail,
  },
  customerName: {
    type: textOrNull,
    about: 'Name that the customer entered. Null if none was entered.',
    example: 'Ada Example',
    of: ({ context }) => context.customerName,
  },
  failureReason: {
    type: () =>
      type("'reverted' | 'wrong_recipient' | 'wrong_asset' | 'wrong_chain' | 'amount_mismatch' | 'underpaid' | null"),
    about:
      'Reason for the failure: the submitted transaction was `reverted`, paid a `wrong_recipient`, in a `wrong_asset`, on a `wrong_chain`, or in another amount (`amount_mismatch`); or the window ended and too little was received (`underpaid`). Null unless the status is `failed`.',
    example: null,
    of: ({ context }) => context.failureReason,
  },
  paymentLinkId: {
    ...idField('payment_link', ({ context }: Actor<Payment>) => context.paymentLinkId),
    about: 'Payment link that the payment was opened from.',
  },
  customerId: {
    type: () => idOf('cus').or('null'),
    about:
      'Customer of the e-mail address. If that customer was merged, responses name the one that has taken its place; events do not change. Null for payments without a customer.',
    example: exampleId('customer'),
    of: ({ context }) => (context.customerId === null ? null : encodeId('cus', context.customerId)),
  },
  invoiceId: {
    type: () => idOf('inv').or('null'),
    about: 'Invoice that is paid. Null if the payment is not for an invoice.',
    example: null,
    of: ({ context }) => (context.invoiceId === null ? null : encodeId('inv', context.invoiceId)),
  },
  expiresAt: {
    type: time,
    about:
      'End of the payment window. A transfer counts as in time if its block is not later than this, and the quote had not expired.',
    example: '2026-11-20T12:30:00.000Z',
    of: ({ context }) => context.expiresAt.toISOString(),
  },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: { ...actorFields.updatedAt, example: example.later },
  reference: { type: textOrNull, example: 'order 7', of: ({ context }) => context.reference },
  metadata: { type: texts, example: { shelf: 'B' }, of: ({ context }) => context.metadata },
})
