import { useAddress } from '../shell/shop.ts'
import { useInvoice } from './use-invoice.ts'

/** A link to an invoice, by its number once that is read. */
export const InvoiceLink = ({ id }: { readonly id: string }) => {
  const address = useAddress()
  return <a href={address('invoices', id)}>{useInvoice(id).data?.number ?? id}</a>
}
