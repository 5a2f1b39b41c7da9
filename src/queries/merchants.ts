import type { Role } from '../http/route.ts'
import type { Sql } from '../postgres/connect.ts'

export type Membership = { readonly merchantId: string; readonly name: string; readonly role: Role }

/** The merchants that an account may act for, the oldest membership first. */
export const listMemberships = (sql: Sql, accountId: string): Promise<Membership[]> => sql<Membership[]>`
  select m.merchant_id as "merchantId", merchants.name, m.role
  from members m join merchants on merchants.id = m.merchant_id
  where m.account_id = ${accountId}
  order by m.seq`
