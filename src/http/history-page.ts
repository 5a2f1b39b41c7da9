import { type } from 'arktype'
import type { PageFrom } from '../queries/page.ts'
import { listQuery, pageOf } from './list.ts'
import type { Parsed } from './route.ts'

/** Unlike other lists, a history begins with the oldest entry. */
export const historyQuery = () => listQuery().merge(type({ order: type("'asc' | 'desc'").default('asc') }))

/** A page of the history of a record, whose entries have the IDs `<id of the record>:<rev>`. */
export const historyPage = (
  query: Parsed<typeof historyQuery>,
  { recordId, rev }: { readonly recordId: string; readonly rev: number },
): Promise<PageFrom<number>> =>
  pageOf(
    query,
    cursor => (isOf(recordId, cursor) ? cursor : undefined),
    async cursor => {
      const after = Number(cursor.slice(recordId.length + 1))
      return after <= rev ? after : undefined
    },
  )

const isOf = (recordId: string, cursor: string): boolean =>
  cursor.startsWith(`${recordId}:`) && /^[1-9]\d{0,8}$/.test(cursor.slice(recordId.length + 1))
