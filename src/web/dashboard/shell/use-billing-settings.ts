import { useShopQuery } from './queries.ts'

/** The seller, terms and time zone of the shop. */
export const useBillingSettings = () =>
  useShopQuery(['settings', 'billing'], ({ call, ...scope }, signal) => call('getBillingSettings', scope, { signal }))
    .value
