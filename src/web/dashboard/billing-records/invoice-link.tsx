import { useAddress } from '../shell/shop.ts'

type InvoiceLinkProps = { readonly id: string; readonly number: string | null }

/** A link to an invoice, by its number if it has one. */
export const InvoiceLink = ({ id, number }: InvoiceLinkProps) => {
  const address = useAddress()
  return <a href={address('invoices', id)}>{number ?? id}</a>
}
