import { useShopQuery } from '../shell/queries.ts'

/** One plan, as it is now. */
export const usePlan = (id: string) =>
  useShopQuery(['plans', 'one', id], ({ merchantId, call }, signal) => call('getPlan', { merchantId, id }, { signal }))
    .value
