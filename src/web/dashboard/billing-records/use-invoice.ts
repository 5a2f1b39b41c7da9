import { useShopQuery } from '../shell/queries.ts'

/** One invoice, as it is now. */
export const useInvoice = (id: string) =>
  useShopQuery(['invoices', 'one', id], ({ merchantId, call }, signal) =>
    call('getInvoice', { merchantId, id }, { signal }),
  ).value
