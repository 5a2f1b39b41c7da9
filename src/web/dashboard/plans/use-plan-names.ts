import { useNames } from '../shell/use-names.ts'

/** The names of plans by ID. */
export const usePlanNames = (records: readonly { readonly planId: string | null }[]): ReadonlyMap<string, string> =>
  useNames(
    'plans',
    records.map(({ planId }) => planId),
    async ({ merchantId, call }, id, signal) => (await call('getPlan', { merchantId, id }, { signal })).name,
  )
