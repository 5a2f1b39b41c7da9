import type { Sql } from '../../postgres/connect.ts'
import { type MachineName, resources } from '../../resources.ts'

export type OpsActorRow = { readonly rev: number; readonly merchant_id: string }

/** An actor of any merchant. */
export const findOpsActor = async (sql: Sql, kind: MachineName, id: string): Promise<OpsActorRow | undefined> => {
  const [row] = await sql<OpsActorRow[]>`select rev, merchant_id from ${sql(resources[kind].table)} where id = ${id}`
  return row
}
