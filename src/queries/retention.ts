import type { Sql } from '../postgres/connect.ts'

/** What is dropped by its age. */
export type RetainedPart = 'attempt_bodies' | 'deliveries'

/** The deliveries that a commit drops, or whose attempts lose their responses, and the place in the feed up to which it is done. */
export type OldDeliveries = {
  /** Of the progress, when they were found. */
  readonly step: number
  readonly era: number
  readonly xid: string
  readonly seq: string
  readonly deliveries: readonly string[]
}

/** The next of them, among `most` transitions. Undefined if nothing is older than the time. */
export const findOldDeliveries = async (
  sql: Sql,
  part: RetainedPart,
  { before, most }: { readonly before: Date; readonly most: number },
): Promise<OldDeliveries | undefined> =>
  (
    await sql<OldDeliveries[]>`
      select step, era, xid::text as xid, seq::text as seq, deliveries from find_old_deliveries(${part}, ${before}, ${most})`
  )[0]

export type Dropped = {
  readonly dropped: number
  /** What another transaction has locked, and is dropped later. */
  readonly locked: number
}

/** Drops them in one commit. Undefined if another process has dropped them, or is dropping them. */
export const dropOldDeliveries = async (
  sql: Sql,
  part: RetainedPart,
  { step, era, xid, seq, deliveries }: OldDeliveries,
  before: Date,
): Promise<Dropped | undefined> => {
  const drop = { attempt_bodies: sql`drop_attempt_bodies`, deliveries: sql`drop_deliveries` }[part]
  const [done] = await sql<Dropped[]>`
    select * from ${drop}(
      ${step}, ${era}, ${xid}::text::xid8, ${seq}, ${[...deliveries]}::uuid[], ${before})`
  return done
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
