import { addedSums } from '../analytics/figures.ts'
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

type SumRow = Omit<KeyedSums, 'key' | 'isOther' | 'volumeMinor' | 'refundedMinor' | 'payTimes' | 'finalTimes'> & {
  /** Null: all others. */
  readonly key: string | null
  readonly volume: string
  readonly refunded: string
  /** In base64: the driver takes twice as long for bytes. */
  readonly payTimes: string
  readonly finalTimes: string
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
const MOST_LINKS = 50

const counts = [
  ...(['opened', 'converted', 'picked', 'seen', 'succeeded'] as const),
  ...(['failed', 'expired', 'canceled', 'late', 'refunds'] as const),
]

/**
 * The sums of ranges by bucket, currency and key. Buckets without a payment have none. Undefined: the daily sums are no longer
 * those of `timeZone`, in which the ranges are.
 */
export const readPaymentSums = async (
  sql: Sql,
  { merchantId, livemode, timeZone }: ListOwner & Pick<SumsState, 'timeZone'>,
  ranges: readonly SumRange[],
  { breakdown, currency, link, durations }: SumQuestion,
): Promise<KeyedSums[] | undefined> => {
  const key = {
    none: sql`''`,
    asset: sql`split_part(key, ':', 2)`,
    chain: sql`split_part(key, ':', 1)`,
    link: sql`key`,
  }[breakdown]
  const counted = counts.map(name => sql`sum(${sql(name)})::float8 as ${sql(name)}`).reduce((a, b) => sql`${a}, ${b}`)
  // Arrays as the database sends them, one after the other.
  const times = (name: string) =>
    durations ? sql`coalesce(encode(string_agg(array_send(${sql(name)}), ''), 'base64'), '')` : sql`''`
  const found = sql`
    select r.bucket, s.*
    from json_to_recordset(${JSON.stringify(ranges)}::text::json)
      as r (bucket integer, span text, "from" timestamp, "to" timestamp)
    cross join lateral (
      select currency, ${key} as key, ${counted}, sum(volume_minor) as volume, sum(refunded_minor) as refunded,
        ${times('pay_times')} as "payTimes", ${times('final_times')} as "finalTimes"
      from payment_sums
      where merchant_id = ${merchantId} and livemode = ${livemode} and span = r.span
        and breakdown = ${{ none: 'all', asset: 'asset', chain: 'asset', link: 'link' }[breakdown]}
        and starts_at >= r."from" and starts_at < r."to"
        and (${currency ?? null}::text is null or currency = ${currency ?? null})
        and (${link ?? null}::text is null or payment_sums.key = ${link ?? null})
      group by 1, 2) s`
  const sums =
    breakdown === 'link'
      ? sql`
          with found as materialized (${found}), ranked as (
            -- Amounts of different currencies are not compared.
            select key, row_number() over (partition by currency order by sum(volume) desc, sum(opened) desc, key) as place
            from found group by currency, key
          ), shown as (
            select key from ranked group by key order by min(place), key limit ${MOST_LINKS}
          )
          select bucket, currency, case when key in (select key from shown) then key end as key,
            ${counted}, sum(volume) as volume, sum(refunded) as refunded, '' as "payTimes", '' as "finalTimes"
          from found
          group by 1, 2, 3`
      : found
  const rows = await sql<(SumRow & { readonly zone: string })[]>`
    select sums_time_zone as zone, s.* from billing_settings left join (${sums}) s on true
    where billing_settings.merchant_id = ${merchantId}`
  if (rows[0]?.zone !== timeZone) return undefined
  const all = rows
    .filter(({ bucket }) => bucket !== null)
    .map(sumsIn)
    .toSorted((a, b) => a.bucket - b.bucket || inOrder(placeOf(a), placeOf(b)))
  return (
    [...Map.groupBy(all, each => `${each.bucket} ${placeOf(each)}`).values()]
      // Some buckets have several ranges.
      .flatMap(group =>
        group.slice(0, 1).map(first => (group.length === 1 ? first : { ...first, ...addedSums(group) })),
      )
      // A payment that was opened and then moved to another asset leaves a row of zeros.
      .filter(sums => counts.some(name => sums[name] > 0))
  )
}

const sumsIn = ({ key, volume, refunded, payTimes, finalTimes, ...rest }: SumRow): KeyedSums => ({
  ...rest,
  ...{ key: key === null ? 'other' : key || null, isOther: key === null },
  ...{ volumeMinor: BigInt(volume), refundedMinor: BigInt(refunded) },
  ...{ payTimes: Buffer.from(payTimes, 'base64'), finalTimes: Buffer.from(finalTimes, 'base64') },
})

/** In a bucket. All other keys are after these. */
const placeOf = ({ currency, key, isOther }: KeyedSums): string => `${currency} ${isOther ? '~' : ''}${key ?? ''}`

const inOrder = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
