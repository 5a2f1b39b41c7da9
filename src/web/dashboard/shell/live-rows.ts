import { type ReadonlySignal, signal } from '@preact/signals'
import type { QueryClient, QueryKey } from '@tanstack/query-core'
import { type NewRecords, noneNew, withNew } from './new-records.ts'
import type { ListPage } from './pages.tsx'

type Identified = { readonly id: string }

export type LiveRows = {
  readonly created: ReadonlySignal<NewRecords>
  forgetCreated(): void
  /** Takes changes in. */
  receive(changed: ReadonlySet<string>, created: ReadonlySet<string>): void
  /** Reads some of the changed records that are in view, and puts them in their places. Resolves with their IDs. */
  refresh(): Promise<readonly string[]>
  /** Whether there are more of them. */
  hasMore(): boolean
}

/** Rows that are read at a time. A shop may have a thousand changes a second. */
const ROWS_AT_ONCE = 10

/** The lists of one section: rows in view change in place, and records that were created are counted. */
export const openLiveRows = <Row extends Identified>(
  cache: QueryClient,
  section: QueryKey,
  read: (id: string) => Promise<Row>,
): LiveRows => {
  const created = signal(noneNew)
  const lists = () => cache.getQueriesData<ListPage<Row>>({ queryKey: section })
  /** Records in view that are to be read again. */
  const waiting = new Set<string>()
  return {
    created,
    forgetCreated: () => {
      created.value = noneNew
    },
    receive: (changed, added) => {
      const inView = new Set(lists().flatMap(([, data]) => data?.rows?.map(({ id }) => id) ?? []))
      for (const id of changed) if (inView.has(id)) waiting.add(id)
      const newOnes = [...added].filter(id => !inView.has(id))
      if (newOnes.length > 0) created.value = withNew(created.value, newOnes)
    },
    refresh: async () => {
      const ids = [...waiting].slice(0, ROWS_AT_ONCE)
      for (const id of ids) waiting.delete(id)
      const records = await Promise.allSettled(ids.map(read))
      const found = new Map(records.flatMap(one => (one.status === 'fulfilled' ? [[one.value.id, one.value]] : [])))
      for (const [key, data] of lists())
        if (data?.rows?.some(({ id }) => found.has(id)))
          cache.setQueryData(key, { ...data, rows: data.rows.map(row => found.get(row.id) ?? row) })
      return [...found.keys()]
    },
    hasMore: () => waiting.size > 0,
  }
}
