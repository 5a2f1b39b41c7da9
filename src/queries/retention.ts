import type { Sql } from '../postgres/connect.ts'

/** What is dropped by its age. */
export const retainedParts = ['attempt_bodies', 'deliveries', 'history'] as const
export type RetainedPart = (typeof retainedParts)[number]

/** The actors of which a commit drops something, and the place in the feed up to which it is done. */
export type OldActors = {
  /** Of the progress, when they were found. */
  readonly step: number
  readonly era: number
  readonly xid: string
  readonly seq: string
  readonly actors: readonly string[]
}

/** The next of them, among `most` transitions. Undefined if nothing is older than the time. */
export const findOldActors = async (
  sql: Sql,
  part: RetainedPart,
  { before, most }: { readonly before: Date; readonly most: number },
): Promise<OldActors | undefined> =>
  (
    await sql<OldActors[]>`
      select step, era, xid::text as xid, seq::text as seq, actors from find_old_actors(${part}, ${before}, ${most})`
  )[0]

export type Dropped = {
  readonly dropped: number
  /** What is dropped later: another transaction has locked it, or it is too much for one commit. */
  readonly locked: number
}

/** Drops it in one commit. Undefined if another process has dropped it, or is dropping it. */
export const dropOfActors = async (
  sql: Sql,
  part: RetainedPart,
  { step, era, xid, seq, actors }: OldActors,
  before: Date,
): Promise<Dropped | undefined> => {
  const drop = {
    attempt_bodies: sql`drop_attempt_bodies`,
    deliveries: sql`drop_deliveries`,
    history: sql`drop_history`,
  }[part]
  const [done] = await sql<Dropped[]>`
    select * from ${drop}(
      ${step}, ${era}, ${xid}::text::xid8, ${seq}, ${[...actors]}::uuid[], ${before})`
  return done
}

/** The place in lists of a delivery that was dropped less than a day ago. */
export const findDroppedSeq = async (
  sql: Sql,
  { merchantId, livemode }: { readonly merchantId: string; readonly livemode: boolean },
  delivery: string,
): Promise<string | undefined> => {
  const [row] = await sql<{ seq: string }[]>`
    select seq from dropped_places
    where actor = ${delivery} and rev = 0 and merchant_id = ${merchantId} and livemode = ${livemode}`
  return row?.seq
}

export type RetentionDay = {
  /** The beginning of this day in UTC: ages are counted in whole days, so there is something to drop once a day. */
  readonly today: Date
  /** The result of the last audit that has ended today. */
  readonly audit: 'clean' | 'findings' | null
}

export const findRetentionDay = async (sql: Sql): Promise<RetentionDay> => {
  const [row] = await sql<RetentionDay[]>`
    select today, (
      select status from audits where status in ('clean', 'findings') and finished_at >= today order by seq desc limit 1) as audit
    from (select date_trunc('day', now(), 'UTC') as today) as day`
  if (!row) throw new Error('cannot read the day: the database returned no row')
  return row
}

/**
 * Why a part is held back: the last audit had findings, the audit of what would be dropped next had, or an error. `done`:
 * nothing is left to drop. `off`: all of it is kept.
 */
export type RetentionOutcome = 'done' | 'off' | HeldBack
export type HeldBack = 'audit' | 'broken' | 'failed'

/** Written only if it differs from what is known. */
export const reportRetention = async (sql: Sql, part: RetainedPart, outcome: RetentionOutcome): Promise<void> => {
  await sql`select report_retention(${part}, ${outcome})`
}
