import type { InvoiceWithLines } from '../../api/calls.ts'
import { nameOfCustomer } from '../customers/customer-name.ts'
import { useShopQuery } from '../shell/queries.ts'

/** The names of the customers of drafts, by ID: a draft names its customer by ID only. */
export const useCustomerNames = (invoices: readonly InvoiceWithLines[]): ReadonlyMap<string, string> => {
  const ids = [...new Set(invoices.map(({ customerId }) => customerId))].sort()
  const { data } = useShopQuery(['invoices', 'names', ids], async ({ merchantId, call }, signal) => {
    const found = await Promise.allSettled(ids.map(id => call('getCustomer', { merchantId, id }, { signal })))
    return new Map(
      found.flatMap((one, at) => (one.status === 'fulfilled' ? [[ids[at] ?? '', nameOfCustomer(one.value)]] : [])),
    )
  }).value
  return data ?? new Map()
}
