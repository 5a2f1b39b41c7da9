import type { Sql } from '../postgres/connect.ts'

/** Which part of a list is asked for, and from which row on; undefined: from its beginning. */
export type PageFrom<Start> = {
  readonly after: Start | undefined
  readonly limit: number
  readonly order: 'asc' | 'desc'
}

/** From the row of this `seq`. */
export type Page = PageFrom<string>

/** The end of a `where` over rows that become visible in the order of their `seq`, and one row more than the page has. */
export const pageBySeq = (sql: Sql, { after, limit, order }: Page) =>
  order === 'asc'
    ? sql`seq > ${after ?? '0'} order by seq limit ${limit + 1}`
    : sql`seq < ${after ?? MOST} order by seq desc limit ${limit + 1}`

const MOST = '9223372036854775807'
