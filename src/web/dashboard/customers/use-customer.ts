import { useShopQuery } from '../shell/queries.ts'

/** One customer, as it is now. */
export const useCustomer = (id: string) =>
  useShopQuery(['customers', 'one', id], ({ merchantId, call }, signal) =>
    call('getCustomer', { merchantId, id }, { signal }),
  ).value
