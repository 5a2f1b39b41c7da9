import type { Sql } from '../postgres/connect.ts'
import type { Role } from './members.ts'
import type { Operator } from './security-events.ts'

export type Membership = { readonly merchantId: string; readonly name: string; readonly role: Role }

/** The merchants that an account may act for, the oldest membership first. */
export const listMemberships = (sql: Sql, accountId: string): Promise<Membership[]> => sql<Membership[]>`
  select m.merchant_id as "merchantId", merchants.name, m.role
  from members m join merchants on merchants.id = m.merchant_id
  where m.account_id = ${accountId}
  order by m.seq`

/** For operators. A sign-up creates its merchant together with the account. */
export const createMerchant = async (
  sql: Sql,
  { id, name, ownerId }: { readonly id: string; readonly name: string; readonly ownerId: string },
  by: Operator,
): Promise<void> => {
  await sql`
    select create_merchant(${id}, ${name}, ${ownerId}),
      record_security_event(${id}, ${ownerId}, ${by.actor}, ${by.address}, 'merchant.created')`
}

export type MerchantRow = { readonly id: string; readonly name: string; readonly owners: readonly string[] }

export const listMerchants = (sql: Sql): Promise<MerchantRow[]> => sql<MerchantRow[]>`
  select m.id, m.name,
    array(select a.email from members o join accounts a on a.id = o.account_id
      where o.merchant_id = m.id and o.role = 'owner' order by o.seq) as owners
  from merchants m order by m.id`

export const hasMerchant = async (sql: Sql, id: string): Promise<boolean> =>
  (await sql`select from merchants where id = ${id}`).length > 0
