import type { Dispute } from '../../machines/dispute.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { disputeKind } from '../kinds/dispute.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { filtersOf, type ListOwner, listRows } from './list-rows.ts'
import type { Page } from './page.ts'
import { finderOf, type RecordKey } from './record-finder.ts'

const readDispute = readerOf(disputeKind)
const findRow = finderOf<ActorRow>('disputes')

export const findDispute = async (sql: Sql, key: RecordKey): Promise<Actor<Dispute> | undefined> => {
  const row = await findRow(sql, key)
  return row && readDispute(row)
}

/** A payment has at most one open dispute. */
export const findOpenDispute = async (sql: Sql, paymentId: string): Promise<Actor<Dispute> | undefined> => {
  const [row] = await sql<ActorRow[]>`
    select * from disputes where payment_id = ${paymentId} and state in ('needs_response', 'under_review')`
  return row && readDispute(row)
}

export type DisputeFilter = { readonly status: string | undefined; readonly paymentId: string | undefined }

export const listDisputes = async (
  sql: Sql,
  owner: ListOwner,
  { status, paymentId }: DisputeFilter,
  page: Page,
): Promise<Actor<Dispute>[]> => {
  const filters = filtersOf(sql, { state: status, payment_id: paymentId })
  const rows = await listRows<ActorRow>(sql, { table: 'disputes', owner, page, filters })
  return rows.map(readDispute)
}
