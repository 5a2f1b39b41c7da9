import type { Invoice } from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import { recordOf } from '../fields/record.ts'
import { text } from '../fields/wire.ts'
import { type InvoiceAdditions, invoiceReadRecord } from './invoice.ts'

const {
  merchantId: _merchant,
  customerId: _customer,
  paymentLinkId: _link,
  allocations: _allocations,
  reminders: _reminders,
  reference: _reference,
  metadata: _metadata,
  url: _url,
  assets: _assets,
  subscription: _subscription,
  amountRefundedMinor: _refunded,
  uncreditedRefundsMinor: _uncredited,
  documentHash: _hash,
  previousDocumentHash: _previousHash,
  retainedUntil: _retained,
  ...customersFields
} = invoiceReadRecord.fields

/** An invoice for its customer, without the private fields of the merchant. */
export const checkoutInvoiceRecord = recordOf<Actor<Invoice>, InvoiceAdditions & { readonly merchantName: string }>()(
  'CheckoutInvoice',
  {
    ...customersFields,
    merchantName: {
      type: text,
      about: 'Name of the merchant.',
      example: 'Lamps',
      of: (_, { merchantName }) => merchantName,
    },
  },
)
