import { type } from 'arktype'
import { shape } from '../../fields/shape.ts'
import { checkoutInvoiceRecord } from '../checkout-invoice.ts'
import { payableOption, payableOptionsExample } from './checkout.ts'

/** An invoice for its customer, and how it can be paid. */
export const visitedInvoiceShape = shape({
  name: 'VisitedInvoice',
  type: () => type({ invoice: checkoutInvoiceRecord.type(), options: payableOption().array() }),
  example: { invoice: checkoutInvoiceRecord.example, options: payableOptionsExample },
  parts: [checkoutInvoiceRecord],
  inside: { invoice: 'The invoice, with the fields that customers may see.' },
})
