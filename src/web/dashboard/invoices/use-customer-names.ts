import { useCustomerName } from '../customers/customer-name.ts'
import { useNames } from '../shell/use-names.ts'

/** The names of customers by ID: a draft, and a subscription, name theirs by ID only. */
export const useCustomerNames = (records: readonly { readonly customerId: string }[]): ReadonlyMap<string, string> => {
  const nameOf = useCustomerName()
  return useNames(
    'invoices',
    records.map(({ customerId }) => customerId),
    async ({ merchantId, call }, id, signal) => nameOf(await call('getCustomer', { merchantId, id }, { signal })),
  )
}
