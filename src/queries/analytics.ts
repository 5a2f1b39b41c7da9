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

type SumRow = Omit<KeyedSums, 'key' | 'isOther' | 'volumeMinor' | 'refundedMinor'> & {
  readonly key: string
  readonly rank: number
  readonly volume: string
  readonly refunded: string
}

/** `durations`: whether they are read, which takes longer than everything else. */
export type SumQuestion = {
  readonly breakdown: Breakdown
  readonly currency: string | undefined
  readonly durations: boolean
}

/** Keys with less volume are added up, because a shop may have many links. */
const MOST_KEYS = 50

/** The sums of ranges by bucket, currency and key. Buckets without a payment have none. */
export const readPaymentSums = async (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  ranges: readonly SumRange[],
  { breakdown, currency, durations }: SumQuestion,
): Promise<KeyedSums[]> => {
  const key = {
    none: sql`''`,
    asset: sql`split_part(s.key, ':', 2)`,
    chain: sql`split_part(s.key, ':', 1)`,
    link: sql`s.key`,
  }[breakdown]
  const counts = [
    'opened',
    'converted',
    'picked',
    'seen',
    'succeeded',
    'failed',
    'expired',
    'canceled',
    'late',
    'refunds',
  ]
  const added = counts
    .map(name => sql`sum(${sql(name)})::float8 as ${sql(name)}`)
    .reduce((some, more) => sql`${some}, ${more}`)
  const areAny = counts.map(name => sql`sum(${sql(name)}) > 0`).reduce((some, more) => sql`${some} or ${more}`)
  // As they are sent for an array, one after the other.
  const sent = (column: string) => (durations ? sql`string_agg(array_send(${sql(column)}), '')` : sql`null::bytea`)
  const together = (column: string) => sql`coalesce(string_agg(${sql(column)}, ''), '')`
  const rows = await sql<SumRow[]>`
    with found as materialized (
      select r.bucket, s.currency, ${key} as key, ${added}, sum(volume_minor) as volume, sum(refunded_minor) as refunded,
        ${sent('pay_times')} as pay_times, ${sent('final_times')} as final_times
      from json_to_recordset(${JSON.stringify(ranges)}::text::json)
        as r (bucket integer, span text, "from" timestamp, "to" timestamp)
      cross join lateral (
        select * from payment_sums
        where merchant_id = ${merchantId} and livemode = ${livemode} and span = r.span
          and breakdown = ${{ none: 'all', asset: 'asset', chain: 'asset', link: 'link' }[breakdown]}
          and starts_at >= r."from" and starts_at < r."to"
          and (${currency ?? null}::text is null or currency = ${currency ?? null})
        offset 0) s
      group by 1, 2, 3
    ), keys as (
      select key, least(rank() over (order by sum(volume) desc, sum(opened) desc, key), ${MOST_KEYS + 1})::integer as rank
      from found group by key
    )
    select bucket, currency, rank, min(key) as key, ${added}, sum(volume)::text as volume,
      sum(refunded)::text as refunded, ${together('pay_times')} as "payTimes", ${together('final_times')} as "finalTimes"
    from found join keys using (key)
    group by bucket, currency, rank
    -- A payment that was opened and then moved to another asset leaves a row of zeros.
    having ${areAny}
    order by bucket, currency, key`
  return rows.map(({ key, rank, volume, refunded, ...rest }) => ({
    ...rest,
    ...{ key: rank > MOST_KEYS ? 'other' : key || null, isOther: rank > MOST_KEYS },
    ...{ volumeMinor: BigInt(volume), refundedMinor: BigInt(refunded) },
  }))
}
