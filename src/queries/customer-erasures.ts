import { encodeId } from '../ids.ts'
import type { Sql } from '../postgres/connect.ts'
import { type MachineName, resources } from '../resources.ts'

/** The records that keep a customer from being erased, as IDs of the API. At most 10. */
export const listUses = async (sql: Sql, customerId: string): Promise<readonly string[]> => {
  const rows = await sql<{ kind: MachineName; id: string }[]>`
    select kind, id from uses_of_customer(${customerId}) limit 10`
  return rows.map(({ kind, id }) => encodeId(resources[kind].prefix, id))
}

/** A customer whose copies are to be erased, and those that were merged into it. None if that is done. */
export const findErasingIds = async (sql: Sql, customerId: string): Promise<readonly string[]> => {
  const rows = await sql<{ id: string }[]>`
    select c.id from customers c where c.id = ${customerId} and c.state = 'erasing'
    union all
    select m.customer_id from customers c join merged_customers m on m.survivor_id = c.id
    where c.id = ${customerId} and c.state = 'erasing'`
  return rows.map(({ id }) => id)
}

/** Payments whose copies are read at a time: they have about 125 events. */
const PAYMENTS_AT_ONCE = 40
const INVOICES_AT_ONCE = 100

/** The customers, and all their payments, disputes and invoices. */
export async function* actorPagesOf(sql: Sql, customerIds: readonly string[]): AsyncGenerator<readonly string[]> {
  yield customerIds
  for (const id of customerIds) {
    for (let after = '0'; ; ) {
      const invoices = await sql<{ id: string; seq: string }[]>`
        select id, seq from invoices where customer_id = ${id} and seq > ${after}
        order by seq limit ${INVOICES_AT_ONCE}`
      const last = invoices.at(-1)
      if (!last) break
      yield invoices.map(invoice => invoice.id)
      after = last.seq
    }
    for (let after = { state: '', seq: '0' }; ; ) {
      const [page] = await sql<{ actors: string[]; last_state: string; last_seq: string }[]>`
        select * from actors_of_customer(${id}, ${after.state}, ${after.seq}, ${PAYMENTS_AT_ONCE})`
      if (!page) break
      yield page.actors
      after = { state: page.last_state, seq: page.last_seq }
    }
  }
}

/** With this many rewritten rows or more, there may be others: erase_copies() changes as many of one table at most. */
export const MOST_REWRITTEN = 125

/** Erases some of the copies of these actors. See erase_copies() in sql/113-customers-functions.sql. */
export const eraseCopiesOf = async (
  sql: Sql,
  actors: readonly string[],
  fields: object,
): Promise<{ readonly rewritten: number; readonly underWay: number }> => {
  const [answer] = await sql<{ rewritten: number; under_way: number }[]>`
    select * from erase_copies(${[...actors]}::uuid[], ${JSON.stringify(fields)}::text::json)`
  return { rewritten: answer?.rewritten ?? 0, underWay: answer?.under_way ?? 0 }
}
