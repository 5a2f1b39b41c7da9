import type { Breakdown, KeyedSums } from '../analytics/keys.ts'
import type { SumRange } from '../analytics/ranges.ts'
import type { Sql } from '../postgres/connect.ts'
import type { ListOwner } from './list-rows.ts'

/** When everything that was committed was in the sums, and the time zone of their days. */
export type SumsState = { readonly asOf: Date; readonly timeZone: string }

export const readSumsState = async (sql: Sql, merchantId: string): Promise<SumsState> => {
  const [row] = await sql<SumsState[]>`
    select date_trunc('milliseconds', payment_sums_as_of()) as "asOf", sums_time_zone as "timeZone"
    from billing_settings where merchant_id = ${merchantId}`
  if (!row) throw new Error(`merchant ${merchantId} has no settings`)
  return row
}

type SumRow = Omit<KeyedSums, 'volumeMinor' | 'refundedMinor'> & { readonly volume: string; readonly refunded: string }

/** `durations`: whether they are read, which takes longer than everything else. */
export type SumQuestion = {
  readonly breakdown: Breakdown
  readonly currency: string | undefined
  readonly durations: boolean
}

/** The sums of ranges by bucket, currency and key. Buckets without a payment have none. */
export const readPaymentSums = async (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  ranges: readonly SumRange[],
  { breakdown, currency, durations }: SumQuestion,
): Promise<KeyedSums[]> => {
  const key = {
    none: sql`null`,
    asset: sql`nullif(split_part(s.key, ':', 2), '')`,
    chain: sql`nullif(split_part(s.key, ':', 1), '')`,
    link: sql`s.key`,
  }[breakdown]
  const collected = (column: string) =>
    durations
      ? sql`coalesce(jsonb_agg(${sql(column)}) filter (where ${sql(column)} is not null), '[]')`
      : sql`'[]'::jsonb`
  const rows = await sql<SumRow[]>`
    select r.bucket, s.currency, ${key}::text as key, sum(opened)::float8 as opened, sum(converted)::float8 as converted,
      sum(picked)::float8 as picked, sum(seen)::float8 as seen, sum(succeeded)::float8 as succeeded,
      sum(failed)::float8 as failed, sum(expired)::float8 as expired, sum(canceled)::float8 as canceled,
      sum(late)::float8 as late, sum(volume_minor)::text as volume, sum(refunds)::float8 as refunds,
      sum(refunded_minor)::text as refunded,
      ${collected('pay_times')} as "payTimes", ${collected('final_times')} as "finalTimes"
    from json_to_recordset(${JSON.stringify(ranges)}::text::json)
      as r (bucket integer, span text, "from" timestamp, "to" timestamp)
    cross join lateral (
      select * from payment_sums
      where merchant_id = ${merchantId} and livemode = ${livemode} and span = r.span
        and breakdown = case
          when ${breakdown}::text = 'link' then 'link'
          when ${breakdown}::text = 'none' and r.span = 'quarter' then 'all'
          else 'asset' end
        and starts_at >= r."from" and starts_at < r."to"
        and (${currency ?? null}::text is null or currency = ${currency ?? null})
      offset 0) s
    group by 1, 2, 3
    -- A payment that was opened and then moved to another asset leaves a row of zeros.
    having sum(opened) > 0 or sum(converted) > 0 or sum(picked) > 0 or sum(seen) > 0 or sum(succeeded) > 0
      or sum(failed) > 0 or sum(expired) > 0 or sum(canceled) > 0 or sum(late) > 0 or sum(refunds) > 0
    order by 1, 2, 3`
  return rows.map(({ volume, refunded, ...rest }) => ({
    ...rest,
    ...{ volumeMinor: BigInt(volume), refundedMinor: BigInt(refunded) },
  }))
}
