import { emailKey } from '../email-key.ts'
import type { Sql } from '../postgres/connect.ts'
import { readShownCustomer, type ShownCustomer, type ShownCustomerRow, shownCustomerColumns } from './customers.ts'
import { beginsWith } from './list-filters.ts'
import {
  type FewOrMany,
  type Fragment,
  type ListOwner,
  type ListPart,
  listRows,
  ownedBy,
  type RowList,
} from './list-rows.ts'
import type { Page } from './page.ts'

export type CustomerFilter = {
  /** Also finds aliases. */
  readonly email: string | undefined
  readonly reference: string | undefined
  /** The beginning of a name, a company or an e-mail address. */
  readonly search: string | undefined
}

/** Without merged customers. */
export const listCustomers = async (
  sql: Sql,
  owner: ListOwner,
  filter: CustomerFilter,
  page: Page,
): Promise<ShownCustomer[]> => {
  const rows = await listRows<ShownCustomerRow>(sql, { ...customerRowList(sql, owner, filter), page })
  return rows.map(readShownCustomer)
}

export const customerRowList = (sql: Sql, owner: ListOwner, filter: CustomerFilter): RowList => {
  const { email, reference, search } = filter
  const byEmail = email === undefined ? undefined : hasEmail(sql, owner, email)
  // With the condition of the index of references: without it, all customers of a merchant would be read.
  const byReference =
    reference === undefined ? undefined : sql`${ownedBy(sql, owner)} and reference = ${reference} and state <> 'merged'`
  const bySearch = search === undefined ? undefined : foundByPrefix(sql, owner, search)
  const part: ListPart | undefined = byEmail ? { few: byEmail } : byReference ? { few: byReference } : bySearch
  const filters = sql`
    and state <> 'merged'
    ${byReference ? sql`and ${byReference}` : sql``}
    ${byEmail && bySearch ? sql`and ${bySearch.many}` : sql``}
    ${!byEmail && byReference && bySearch ? sql`and ${bySearch.many}` : sql``}`
  return { table: 'customers', owner, filters, columns: shownCustomerColumns(sql), ...(part && { parts: [part] }) }
}

const hasEmail = (sql: Sql, { merchantId, livemode }: ListOwner, email: string): Fragment => sql`
  id = (
    select customer_id from customer_emails
    where merchant_id = ${merchantId} and livemode = ${livemode} and email_key = ${emailKey(email)})`

const foundByPrefix = (sql: Sql, owner: ListOwner, text: string): FewOrMany => {
  const named = (column: 'name' | 'company') => beginsWith(sql, sql`lower(${sql(column)}) collate "C"`, text)
  const addressed = beginsWith(sql, sql`email_key`, text.trim().normalize('NFC'))
  return {
    candidates: sql`
      select id from customers where ${ownedBy(sql, owner)} and ${named('name')}
      union all select id from customers where ${ownedBy(sql, owner)} and ${named('company')}
      union all select customer_id from customer_emails where ${ownedBy(sql, owner)} and ${addressed}`,
    few: sql`id in (select id from candidates)`,
    // Not with `exists`, for which the planner reads all addresses that begin so at once.
    many: sql`(
      coalesce(${named('name')}, false) or coalesce(${named('company')}, false)
      or coalesce((select bool_or(${addressed}) from customer_emails e where e.customer_id = id), false))`,
    walked: undefined,
  }
}
