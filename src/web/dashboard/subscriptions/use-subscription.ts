import { useShopQuery } from '../shell/queries.ts'

/** One subscription, as it is now. */
export const useSubscription = (id: string) =>
  useShopQuery(['subscriptions', 'one', id], ({ merchantId, call }, signal) =>
    call('getSubscription', { merchantId, id }, { signal }),
  ).value

const MOST = 100

/** Its latest invoices, newest first. */
export const useInvoicesOfSubscription = (id: string) =>
  useShopQuery(['subscriptions', 'one', id, 'invoices'], ({ call, ...scope }, signal) =>
    call('listInvoices', { ...scope, subscriptionId: id, limit: MOST }, { signal }),
  ).value
