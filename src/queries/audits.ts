import type { Sql } from '../postgres/connect.ts'
import { type Page, pageBySeq } from './page.ts'

export type AuditStatus = 'running' | 'clean' | 'findings' | 'failed'

/** The result of one check of a run. */
export type AuditCheck = {
  /** The invariant and what breaks it, such as `I7: a timer overdue by more than a minute`. */
  readonly name: string
  readonly status: 'clean' | 'findings' | 'failed'
  /** Number of breaches. */
  readonly count: number
  /** The ID of one breach. */
  readonly sample: string | null
}

export type AuditRow = {
  readonly id: string
  readonly status: AuditStatus
  readonly started_by: 'schedule' | 'operator' | 'command'
  /** The operator. */
  readonly account_id: string | null
  readonly started_at: Date
  readonly finished_at: Date | null
  readonly checks: readonly AuditCheck[]
}

/** A run that this process has taken. */
export type TakenAudit = { readonly id: string; readonly attempt: number }

/** Starts a run that a worker takes, for an operator. Undefined while another run is under way. */
export const requestAudit = async (sql: Sql, accountId: string): Promise<AuditRow | undefined> => {
  const [row] = await sql<AuditRow[]>`
    select ${auditColumns(sql)} from start_audit('operator', ${accountId}) a`
  return row
}

/** Starts a run that this process takes. Undefined while another run is under way. */
export const startOwnAudit = async (sql: Sql): Promise<TakenAudit | undefined> => {
  const [row] = await sql<{ id: string }[]>`select id from start_audit('command')`
  return row && takeAudit(sql, row.id)
}

/** Starts the run of this night, if it is due. Returns its ID. */
export const startNightlyAudit = async (sql: Sql): Promise<string | undefined> =>
  (await sql<{ id: string }[]>`select id from start_nightly_audit()`)[0]?.id

/** Undefined when the run is finished or has failed. */
export const takeAudit = async (sql: Sql, id: string): Promise<TakenAudit | undefined> => {
  const [row] = await sql<{ attempt: number | null }[]>`select take_audit(${id}) as attempt`
  return row?.attempt ? { id, attempt: row.attempt } : undefined
}

/** Shows that the run is under way. Returns false when another process has taken it, or it counts as failed. */
export const recordAuditBeat = async (sql: Sql, { id, attempt }: TakenAudit): Promise<boolean> => {
  const rows = await sql`
    update audits set beat_at = now() where id = ${id} and attempt = ${attempt} and status = 'running' returning id`
  return rows.length > 0
}

/** Returns false when another process has taken the run, or it counts as failed. */
export const finishAudit = async (
  sql: Sql,
  { id, attempt }: TakenAudit,
  { status, checks }: { readonly status: Exclude<AuditStatus, 'running'>; readonly checks: readonly AuditCheck[] },
): Promise<boolean> => {
  const rows = await sql`
    update audits set status = ${status}, finished_at = now(), checks = ${JSON.stringify(checks)}::text::json
    where id = ${id} and attempt = ${attempt} and status = 'running'
    returning id`
  return rows.length > 0
}

/** A run whose process was killed is shown as failed, although its row is changed only by the next start. */
const auditColumns = (sql: Sql) => sql`
  id, case when audit_is_dead(a) then 'failed' else status end as status, started_by, account_id, started_at,
  case when audit_is_dead(a) then beat_at else finished_at end as finished_at, checks`

export const listAudits = (sql: Sql, page: Page): Promise<AuditRow[]> => sql<AuditRow[]>`
  select ${auditColumns(sql)} from audits a where ${pageBySeq(sql, page)}`

export const findAudit = async (sql: Sql, id: string): Promise<AuditRow | undefined> =>
  (await sql<AuditRow[]>`select ${auditColumns(sql)} from audits a where id = ${id}`)[0]

export const findAuditSeq = async (sql: Sql, id: string): Promise<string | undefined> =>
  (await sql<{ seq: string }[]>`select seq from audits where id = ${id}`)[0]?.seq

/** The last run that ended with a result; an installation without one is as old as its database. */
export const findLastAudit = async (sql: Sql): Promise<{ readonly findings: number; readonly ageSeconds: number }> => {
  const [row] = await sql<{ findings: number; ageSeconds: number }[]>`
    select coalesce(json_array_length(last.broken), 0) as findings,
      extract(epoch from now() - coalesce(last.finished_at, (select min(applied_at) from migrations)))::float8 as "ageSeconds"
    from (select) as one
    left join lateral (
      select finished_at, (select json_agg(c) from json_array_elements(checks) c where c->>'status' = 'findings') as broken
      from audits
      where status in ('clean', 'findings')
      order by seq desc
      limit 1) as last on true`
  if (!row) throw new Error('cannot read the last audit: the database returned no row')
  return row
}
