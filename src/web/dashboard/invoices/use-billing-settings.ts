import { useShopQuery } from '../shell/queries.ts'

/** What invoices take from the settings. */
export const useBillingSettings = () =>
  useShopQuery(['settings', 'billing'], ({ call, ...scope }, signal) => call('getBillingSettings', scope, { signal }))
    .value
