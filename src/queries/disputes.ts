import type { Dispute } from '../../machines/dispute.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { decodeId } from '../ids.ts'
import { disputeKind } from '../kinds/dispute.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { type CommonFilter, commonFilters, findSeqBounds, foundByPayment } from './list-filters.ts'
import { filtersOf, type ListOwner, type ListPart, listRows, ownedBy, partsByState } from './list-rows.ts'
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

export type DisputeFilter = CommonFilter & { readonly paymentId: string | undefined }

export const listDisputes = async (
  sql: Sql,
  owner: ListOwner,
  filter: DisputeFilter,
  page: Page,
): Promise<Actor<Dispute>[]> => {
  const { statuses, paymentId, search } = filter
  const filters = sql`
    ${commonFilters(sql, filter, await findSeqBounds(sql, 'disputes', owner, filter))} ${filtersOf(sql, { payment_id: paymentId })}`
  const byState = paymentId === undefined ? statuses && partsByState(sql, statuses) : undefined
  const parts = search === undefined ? byState : partsFoundBy(sql, owner, search, statuses)
  const rows = await listRows<ActorRow>(sql, { table: 'disputes', owner, page, filters, ...(parts && { parts }) })
  return rows.map(readDispute)
}

const partsFoundBy = (
  sql: Sql,
  owner: ListOwner,
  search: string,
  statuses: readonly string[] | undefined,
): readonly ListPart[] => {
  const [id, paymentId] = [decodeId('dp', search), decodeId('pay', search)]
  return [
    foundByPayment(sql, 'disputes', owner, search, statuses && partsByState(sql, statuses)),
    ...(id === undefined ? [] : [{ few: sql`id = ${id}` }]),
    ...(paymentId === undefined ? [] : [{ few: sql`${ownedBy(sql, owner)} and payment_id = ${paymentId}` }]),
  ]
}
