import type { FeedReader } from '../actors/feed-readers.ts'

/** Keeps the totals of customers: see sql/013-customers.sql. */
export const customerTotalsReader: FeedReader = {
  name: 'customers',
  add: async (sql, most) => {
    const [row] = await sql<{ added: number }[]>`select add_customer_totals(${most}) as added`
    return row?.added ?? 0
  },
}
