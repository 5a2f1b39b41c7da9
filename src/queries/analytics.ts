import type { Breakdown, KeyedSums } from '../analytics/keys.ts'
import type { SumRange } from '../analytics/ranges.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Fragment, ListOwner } from './list-rows.ts'

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
  /** Null: all others. */
  readonly key: string | null
  readonly volume: string
  readonly refunded: string
}

/** `durations`: whether they are read, which takes longer than everything else. */
export type SumQuestion = {
  readonly breakdown: Breakdown
  readonly currency: string | undefined
  /** One link only. */
  readonly link: string | undefined
  readonly durations: boolean
}

/** Keys with less volume than so many in their currency are added up, because a shop may have many links. */
const MOST_KEYS = 50

/** The sums of ranges by bucket, currency and key. Buckets without a payment have none. */
export const readPaymentSums = async (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  ranges: readonly SumRange[],
  { breakdown, currency, link, durations }: SumQuestion,
): Promise<KeyedSums[]> => {
  const key = {
    none: sql`''`,
    asset: sql`split_part(key, ':', 2)`,
    chain: sql`split_part(key, ':', 1)`,
    link: sql`key`,
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
  const listed = (each: (name: string) => Fragment, separator: Fragment) =>
    counts.map(each).reduce((some, more) => sql`${some}${separator}${more}`)
  // Arrays as the database sends them, one after the other.
  const together = (sent: Fragment) => (durations ? sql`coalesce(string_agg(${sent}, ''), '')` : sql`''::bytea`)
  const rows = await sql<SumRow[]>`
    with found as materialized (
      select r.bucket, s.*
      from json_to_recordset(${JSON.stringify(ranges)}::text::json)
        as r (bucket integer, span text, "from" timestamp, "to" timestamp)
      cross join lateral (
        select currency, ${key} as key, ${listed(name => sql`sum(${sql(name)}) as ${sql(name)}`, sql`, `)},
          sum(volume_minor) as volume, sum(refunded_minor) as refunded,
          ${together(sql`array_send(pay_times)`)} as pay_times, ${together(sql`array_send(final_times)`)} as final_times
        from payment_sums
        where merchant_id = ${merchantId} and livemode = ${livemode} and span = r.span
          and breakdown = ${{ none: 'all', asset: 'asset', chain: 'asset', link: 'link' }[breakdown]}
          and starts_at >= r."from" and starts_at < r."to"
          and (${currency ?? null}::text is null or currency = ${currency ?? null})
          and (${link ?? null}::text is null or payment_sums.key = ${link ?? null})
        group by 1, 2) s
    ), ranked as (
      -- Amounts of different currencies are not compared.
      select key, row_number() over (partition by currency order by sum(volume) desc, sum(opened) desc, key) as place
      from found group by currency, key
    ), shown as (
      select key from ranked group by key order by min(place), key limit ${MOST_KEYS}
    )
    select bucket, currency, case when key in (select key from shown) then key end as key,
      ${listed(name => sql`sum(${sql(name)})::float8 as ${sql(name)}`, sql`, `)},
      sum(volume)::text as volume, sum(refunded)::text as refunded,
      ${together(sql`pay_times`)} as "payTimes", ${together(sql`final_times`)} as "finalTimes"
    from found
    group by 1, 2, 3
    -- A payment that was opened and then moved to another asset leaves a row of zeros.
    having ${listed(name => sql`sum(${sql(name)}) > 0`, sql` or `)}
    order by 1, 2, 3`
  return rows.map(({ key, volume, refunded, ...rest }) => ({
    ...rest,
    ...{ key: key === null ? 'other' : key || null, isOther: key === null },
    ...{ volumeMinor: BigInt(volume), refundedMinor: BigInt(refunded) },
  }))
}
