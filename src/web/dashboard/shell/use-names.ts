import { useShopQuery } from './queries.ts'

type Scoped = Parameters<Parameters<typeof useShopQuery>[1]>[0]

/** The names of records that a list names by ID only. Those that cannot be read are left out. */
export const useNames = (
  section: string,
  all: readonly (string | null)[],
  read: (scope: Scoped, id: string, signal: AbortSignal) => Promise<string>,
): ReadonlyMap<string, string> => {
  const ids = [...new Set(all.filter(id => id !== null))].sort()
  const { data } = useShopQuery([section, 'names', ids], async (scope, signal) => {
    const found = await Promise.allSettled(ids.map(id => read(scope, id, signal)))
    return new Map(found.flatMap((one, at) => (one.status === 'fulfilled' ? [[ids[at] ?? '', one.value]] : [])))
  }).value
  return data ?? new Map()
}
