import type { Sql } from '../postgres/connect.ts'

/** A page of a list: the rows after a position. `after` undefined: from the beginning. */
export type PageFrom<Start> = {
  readonly after: Start | undefined
  readonly limit: number
  readonly order: 'asc' | 'desc'
}

/** `after` is a `seq`. */
export type Page = PageFrom<string>

/**
 * The end of a `where` clause for rows that become visible in the order of `seq`. Selects one row more than the page.
 */
export const pageBySeq = (sql: Sql, { after, limit, order }: Page) =>
  order === 'asc'
    ? sql`seq > ${after ?? '0'} order by seq limit ${limit + 1}`
    : sql`seq < ${after ?? MAX_SEQ} order by seq desc limit ${limit + 1}`

const MAX_SEQ = '9223372036854775807'
