import type { Dispute } from '../../machines/dispute.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { disputeKind } from '../kinds/dispute.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { finderOf, type RecordName } from './named.ts'
import type { Page } from './page.ts'
import { listPlaced, narrowed, type Whose } from './places.ts'

const readDispute = readerOf(disputeKind)
const findRow = finderOf<ActorRow>('disputes')

export const findDispute = async (sql: Sql, name: RecordName): Promise<Actor<Dispute> | undefined> => {
  const row = await findRow(sql, name)
  return row && readDispute(row)
}

/** There is one at most. */
export const findOpenDispute = async (sql: Sql, paymentId: string): Promise<Actor<Dispute> | undefined> => {
  const [row] = await sql<ActorRow[]>`
    select * from disputes where payment_id = ${paymentId} and state in ('needs_response', 'under_review')`
  return row && readDispute(row)
}

export type DisputeFilter = { readonly status: string | undefined; readonly paymentId: string | undefined }

export const listDisputes = async (
  sql: Sql,
  whose: Whose,
  { status, paymentId }: DisputeFilter,
  page: Page,
): Promise<Actor<Dispute>[]> => {
  const filters = narrowed(sql, { state: status, payment_id: paymentId })
  const rows = await listPlaced<ActorRow>(sql, { table: 'disputes', whose, page, filters })
  return rows.map(readDispute)
}
