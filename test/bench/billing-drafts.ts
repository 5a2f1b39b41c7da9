import { randomUUID } from 'node:crypto'
import type { Services } from '../../src/actors/services.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { customerOpening } from '../machines/customer-cases.ts'
import { invoiceOpening } from '../machines/invoice-cases.ts'

/** A merchant with a customer and so many drafts. */
export const insertDrafts = async (
  { sql, actors }: Pick<Services, 'sql' | 'actors'>,
  count: number,
): Promise<{ readonly merchantId: string; readonly ids: readonly string[] }> => {
  const [merchantId, customerId] = [randomUUID(), randomUUID()]
  await sql`insert into merchants (id, name) values (${merchantId}, 'A shop')`
  await sql`insert into billing_settings (merchant_id, legal_name) values (${merchantId}, 'Lamps Ltd')`
  const owner = { merchantId, livemode: false }
  await actors.dispatch({ kind: 'customer', actor: customerId, create: { ...customerOpening, ...owner } })
  const ids = Array.from({ length: count }, () => randomUUID())
  const create = { ...invoiceOpening, ...owner, customerId }
  await Promise.all(ids.map(actor => actors.dispatch({ kind: 'invoice', actor, create })))
  return { merchantId, ids }
}

/**
 * Whether the invoices have the numbers 1, 2, 3 …, each once and in the order of time, and each its payment link, or so many
 * of them.
 */
export const areNumbered = async (sql: Sql, merchantId: string, count: number, links = count): Promise<boolean> => {
  const [row] = await sql<{ numbered: number; linked: number; links: number; disordered: number }[]>`
    select count(*) filter (where sequence = place)::integer as numbered,
      count(distinct payment_link_id)::integer as linked,
      (select count(*)::integer from payment_links where merchant_id = ${merchantId} and hidden) as links,
      count(*) filter (where issued_at < before)::integer as disordered
    from (
      select sequence, payment_link_id, issued_at, row_number() over numbers as place, lag(issued_at) over numbers as before
      from invoices where merchant_id = ${merchantId} and sequence is not null
      window numbers as (order by sequence)) i`
  return row?.numbered === count && row.linked === links && row.links === links && row.disordered === 0
}
