import type { Sql } from '../postgres/connect.ts'
import type { ListedTable } from '../resources.ts'
import { type FewOrMany, type Fragment, type ListOwner, ownedBy, ownedByWithKey } from './list-rows.ts'

/** Filters of the lists of payments, payment links, refunds and disputes. They combine with `and`. */
export type CommonFilter = {
  /** Undefined: all. */
  readonly statuses: readonly string[] | undefined
  /** Equal to an id, a reference, a transaction hash or an address, or the beginning of an e-mail address. */
  readonly search: string | undefined
  /** Inclusive. */
  readonly createdAfter: Date | undefined
  /** Exclusive. */
  readonly createdBefore: Date | undefined
}

export const noFilter: CommonFilter = {
  statuses: undefined,
  search: undefined,
  createdAfter: undefined,
  createdBefore: undefined,
}

/** Whether a text begins so, in any case. The index has the expression. */
export const beginsWith = (sql: Sql, expression: Fragment, text: string): Fragment => sql`
  ${expression} >= lower(${text}::text) and ${expression} < lower(${text}::text) || chr(1114111)`

/** The conditions on the status and on the time of creation. */
export const commonFilters = (
  sql: Sql,
  { statuses, createdAfter, createdBefore }: CommonFilter,
  { from, to }: SeqBounds,
): Fragment => sql`
  ${statuses ? sql`and state = any(${[...statuses]}::text[])` : sql``}
  ${createdAfter ? sql`and created_at >= ${createdAfter}` : sql``}
  ${createdBefore ? sql`and created_at < ${createdBefore}` : sql``}
  ${from === null ? sql`` : sql`and seq >= ${from}`}
  ${to === null ? sql`` : sql`and seq < ${to}`}`

type SeqBounds = { readonly from: string | null; readonly to: string | null }

/**
 * The part of a list in which rows of this time can be. Lists are in the order of `seq`, and so is the time of creation but
 * for the duration of a commit; the margin is far more than that. Without bounds a list of last year would read all of this
 * year's rows first. An index on the time would be written in every change of a row.
 */
export const findSeqBounds = async (
  sql: Sql,
  table: ListedTable,
  owner: ListOwner,
  // `of`: the condition of the list's index, if it has one.
  {
    createdAfter,
    createdBefore,
    of,
  }: Pick<CommonFilter, 'createdAfter' | 'createdBefore'> & { readonly of?: Fragment },
): Promise<SeqBounds> => {
  if (!createdAfter && !createdBefore) return { from: null, to: null }
  const rows = sql`from ${sql(table)} where ${ownedBy(sql, owner)} ${of ? sql`and ${of}` : sql``}`
  const seqAt = (at: Date | undefined, hours: number) =>
    at ? seqSince(sql, rows, sql`${at}::timestamptz + ${hours} * interval '1 hour'`) : sql`null`
  const [row] = await sql<[SeqBounds]>`select ${seqAt(createdAfter, -1)} as from, ${seqAt(createdBefore, 1)} as to`
  return row
}

/**
 * The `seq` before which all rows of a list were created before a time, by a binary search. In one statement, which is
 * planned once: a function that is given the name of the table would plan each of its steps.
 */
const seqSince = (sql: Sql, rows: Fragment, since: Fragment): Fragment => sql`(
    with recursive search(low, high) as (
      select 0::bigint, (select max(seq) + 1 ${rows})
      union all
      select case when found.created_at < ${since} then found.seq + 1 else low end,
        case when found.created_at < ${since} then high else middle end
      from search cross join lateral (select low + (high - low) / 2 as middle) halved
      cross join lateral (select seq, created_at ${rows} and seq >= middle order by seq limit 1) found
      where low < high
    )
    select max(low) from search)`

/** What a search text can be. A reference may look like anything. */
export const isTxHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text)
export const isAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/i.test(text)
export const isEmailPrefix = (text: string): boolean => [...text].length >= 3

/** E-mail addresses that begin with a text, in any case. The index has this expression. */
const emailBeginsWith = (sql: Sql, text: string): Fragment => sql`
  lower(customer_email) collate "C" >= lower(${text}::text)
  and lower(customer_email) collate "C" < lower(${text}::text) || chr(1114111)`

/** Payments of an owner whose e-mail address begins with a text. */
export const foundByEmail = (
  sql: Sql,
  owner: ListOwner,
  text: string,
  walked: readonly Fragment[] | undefined,
): FewOrMany => ({
  candidates: sql`select id from payments where ${ownedBy(sql, owner)} and ${emailBeginsWith(sql, text)}`,
  few: sql`id in (select id from candidates)`,
  many: emailBeginsWith(sql, text),
  walked,
})

/** Records of a table that belong to payments with this reference or e-mail address. */
export const foundByPayment = (
  sql: Sql,
  table: ListedTable,
  owner: ListOwner,
  text: string,
  walked: readonly Fragment[] | undefined,
): FewOrMany => {
  const hasEmail = isEmailPrefix(text)
  return {
    candidates: sql`
      select id from payments where ${ownedByWithKey(sql, owner, 'reference', text)}
      ${hasEmail ? sql`union all select id from payments where ${ownedBy(sql, owner)} and ${emailBeginsWith(sql, text)}` : sql``}`,
    few: sql`${ownedBy(sql, owner)} and payment_id in (select id from candidates)`,
    // Not with `exists`, for which the planner might read all of these payments at once.
    many: sql`(
      select coalesce(p.reference = ${text}, false) ${hasEmail ? sql`or (${emailBeginsWith(sql, text)})` : sql``}
      from payments p where p.id = ${sql(table)}.payment_id)`,
    walked,
  }
}
