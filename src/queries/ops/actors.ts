import type { Actor, Kind } from '../../actors/kind.ts'
import type { ActorRow } from '../../actors/rows.ts'
import { kindNamed } from '../../kinds/all.ts'
import type { Sql } from '../../postgres/connect.ts'
import { type MachineName, resources } from '../../resources.ts'
import { readerOf } from '../actors.ts'

/** An actor of any merchant, with its row. */
export type OpsActor = {
  readonly kind: Kind
  readonly name: MachineName
  readonly row: ActorRow
  readonly actor: Actor
  readonly merchantId: string
  readonly livemode: boolean
}

export const findOpsActor = async (sql: Sql, name: MachineName, id: string): Promise<OpsActor | undefined> => {
  const [row] = await sql<(ActorRow & { merchant_id: string; livemode: boolean })[]>`
    select * from ${sql(resources[name].table)} where id = ${id}`
  const kind = kindNamed(name)
  return row && { kind, name, row, actor: readerOf(kind)(row), merchantId: row.merchant_id, livemode: row.livemode }
}

export type ArmedTimer = { readonly name: string; readonly due_at: Date; readonly failures: number }

export const listTimers = (sql: Sql, actor: string): Promise<ArmedTimer[]> => sql<ArmedTimer[]>`
  select name, due_at, failures from timers where actor = ${actor} order by due_at, name`

export type QueuedJob = {
  readonly id: string
  readonly task: string
  readonly run_at: Date
  readonly attempts: number
  readonly last_error: string | null
}

/** The jobs that the actor's machine requests, by the keys that its kind gives them. */
export const listJobs = (sql: Sql, { kind, actor }: Pick<OpsActor, 'kind' | 'actor'>): Promise<QueuedJob[]> => {
  const keys = Object.values(kind.effects ?? {}).flatMap(effect => {
    const key = effect(actor, undefined, { id: '', at: actor.updatedAt })?.key
    return key === undefined ? [] : [key]
  })
  return sql<QueuedJob[]>`
    select j.id::text as id, t.identifier as task, j.run_at, j.attempts, j.last_error
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where j.key = any(${keys}::text[])
    order by j.run_at, j.id`
}
