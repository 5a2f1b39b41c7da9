import type { Customer } from '../../machines/customer.ts'
import type { Invoice } from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import type { Sql } from '../postgres/connect.ts'
import { readInvoice } from './invoices.ts'
import type { Fragment } from './list-rows.ts'

/** An invoice for visitors of its page. */
export type VisitedInvoice = {
  readonly invoice: Actor<Invoice>
  readonly merchantName: string
  /** The customer of the invoice, or the one that has taken its place. */
  readonly customer: Pick<Customer, 'email' | 'name'> & { readonly id: string }
}

type VisitedRow = ActorRow & {
  readonly merchant_name: string
  readonly payer: VisitedInvoice['customer']
}

/** By the hash of the token. A draft has none. */
export const findVisitedInvoice = async (sql: Sql, tokenHash: string): Promise<VisitedInvoice | undefined> => {
  const [row] = await sql<VisitedRow[]>`${visited(sql)} where r.token_hash = ${tokenHash}`
  return row && readVisited(row)
}

/** Of invoices with an open stream, those that have changed since these revisions. */
export const listChangedInvoices = async (
  sql: Sql,
  revisions: ReadonlyMap<string, number>,
): Promise<readonly VisitedInvoice[]> => {
  const rows = await sql<VisitedRow[]>`
    ${visited(sql)}
    join unnest(${[...revisions.keys()]}::uuid[], ${[...revisions.values()]}::bigint[]) as known (id, rev)
      on known.id = r.id and known.rev <> r.rev`
  return rows.map(readVisited)
}

const visited = (sql: Sql): Fragment => sql`
  select r.*, s.name as merchant_name, json_build_object('id', c.id, 'email', c.email, 'name', c.name) as payer
  from invoices r
  join settings s on s.merchant_id = r.merchant_id and s.livemode = r.livemode
  join customers c on c.id = survivor_of(r.customer_id)`

const readVisited = (row: VisitedRow): VisitedInvoice => {
  const { merchant_name: merchantName, payer: customer } = row
  return { invoice: readInvoice(row), merchantName, customer }
}
