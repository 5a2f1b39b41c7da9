import type { FeedReader } from '../actors/feed-readers.ts'
import type { Sql } from '../postgres/connect.ts'

/** Keeps the totals of customers (sql/013-customers.sql) and the sums of payments (sql/021-analytics.sql). */
export const paymentSumsReader: FeedReader = {
  name: 'payments',
  add: async (sql, most) => {
    const [row] = await sql<{ added: number }[]>`select add_payment_sums(${most}) as added`
    await sql`
      select move_payment_sums(merchant_id) from (
        select merchant_id from billing_settings where sums_time_zone <> time_zone limit 1) moving`
    return row?.added ?? 0
  },
  prune: async sql => {
    await sql`select prune_payment_sums()`
  },
}

/** Makes the sums of payments again from the history. Sums before the returned time stay: their history was dropped. */
export const rebuildPaymentSums = async (sql: Sql): Promise<Date | null> => {
  const [row] = await sql<{ since: Date | null }[]>`select rebuild_payment_sums() as since`
  return row?.since ?? null
}
