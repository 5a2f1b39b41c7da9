import type { InvoiceWithLines } from '../../api/calls.ts'
import { useCustomer } from '../customers/use-customer.ts'

/** The customer as the invoice names it; of a draft, and when the party was removed, as it is now. */
export const useInvoiceCustomer = ({ customer, customerId }: Pick<InvoiceWithLines, 'customer' | 'customerId'>) => {
  const present = useCustomer(customerId).data
  return customer ?? present
}
