import type { Customer } from '../../machines/customer.ts'
import type { Row } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { emailKey } from '../email-key.ts'
import { customerKind } from '../kinds/customer.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import type { Fragment, ListOwner } from './list-rows.ts'
import { finderOf, type RecordKey } from './record-finder.ts'

/** Sums in one currency. */
export type CustomerTotals = {
  readonly currency: string
  readonly paymentsCount: number
  readonly volumeMinor: number
  readonly refundedMinor: number
  readonly openMinor: number
  readonly overdueMinor: number
  readonly creditMinor: number
  readonly firstPaymentAt: Date | null
  readonly lastPaymentAt: Date | null
}

/** What a response adds to a customer. */
export type CustomerAdditions = {
  readonly aliases: readonly string[]
  readonly totals: readonly CustomerTotals[]
  /** The customer that it was merged into, if that one was not merged again. */
  readonly survivorId: string | null
}

/** A customer with what responses add to it. */
export type ShownCustomer = CustomerAdditions & { readonly customer: Actor<Customer> }

const readCustomer = readerOf(customerKind)
const findRow = finderOf<ActorRow>('customers')

export const findCustomer = async (sql: Sql, key: RecordKey): Promise<Actor<Customer> | undefined> => {
  const row = await findRow(sql, key)
  return row && readCustomer(row)
}

export type ShownCustomerRow = ActorRow & {
  readonly emails: readonly { readonly email: string; readonly key: string }[]
  readonly totals: readonly TotalsRow[]
  readonly survivor_id: string | null
}

type TotalsRow = Readonly<
  Record<'payments_count' | 'volume_minor' | 'refunded_minor' | 'open_minor' | 'overdue_minor' | 'credit_minor', number>
> & {
  readonly currency: string
  readonly first_payment_at: string | null
  readonly last_payment_at: string | null
}

/** All columns of the row `r`, and what responses add, in the same snapshot. */
export const shownCustomerColumns = (sql: Sql): Fragment => sql`
  r.*,
  (select coalesce(json_agg(json_build_object('email', e.email, 'key', e.email_key) order by e.email_key), '[]')
   from customer_emails e where e.customer_id = r.id) as emails,
  (select coalesce(json_agg(t), '[]') from totals_of_customer(r.id) t) as totals,
  (select m.survivor_id from merged_customers m where m.customer_id = r.id) as survivor_id`

export const readShownCustomer = (row: ShownCustomerRow): ShownCustomer => {
  const customer = readCustomer(row)
  const own = emailKey(customer.context.email)
  return {
    customer,
    aliases: row.emails.flatMap(({ email, key }) => (key === own ? [] : [email])),
    totals: row.totals.map(totalsIn),
    survivorId: row.survivor_id,
  }
}

const totalsIn = (row: TotalsRow): CustomerTotals => ({
  currency: row.currency,
  paymentsCount: row.payments_count,
  volumeMinor: row.volume_minor,
  refundedMinor: row.refunded_minor,
  openMinor: row.open_minor,
  overdueMinor: row.overdue_minor,
  creditMinor: row.credit_minor,
  firstPaymentAt: row.first_payment_at === null ? null : new Date(row.first_payment_at),
  lastPaymentAt: row.last_payment_at === null ? null : new Date(row.last_payment_at),
})

const findShownRow = finderOf<ShownCustomerRow>('customers', shownCustomerColumns)

export const findShownCustomer = async (sql: Sql, key: RecordKey): Promise<ShownCustomer | undefined> => {
  const row = await findShownRow(sql, key)
  return row && readShownCustomer(row)
}

/** The ID of the customer with this e-mail address, which may be an alias. */
export const findCustomerIdByEmail = async (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  email: string,
): Promise<string | undefined> => {
  const [row] = await sql<{ customer_id: string }[]>`
    select customer_id from customer_emails
    where merchant_id = ${merchantId} and livemode = ${livemode} and email_key = ${emailKey(email)}`
  return row?.customer_id
}

export const findCustomerIdByReference = async (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  reference: string,
): Promise<string | undefined> => {
  const [row] = await sql<{ id: string }[]>`
    select id from customers
    where merchant_id = ${merchantId} and livemode = ${livemode} and reference = ${reference} and state <> 'merged'`
  return row?.id
}

/** The row that is committed with the command that gives a customer an e-mail address. */
export const customerEmailRow = ({ merchantId, livemode }: ListOwner, customerId: string, email: string): Row => ({
  table: 'customer_emails',
  row: { merchant_id: merchantId, livemode, email_key: emailKey(email), customer_id: customerId, email },
})

/** The API version in which the events of a merchant are rendered. */
export const getEventsVersion = async (sql: Sql, merchantId: string): Promise<string> => {
  const [row] = await sql<{ api_version: string }[]>`select api_version from merchants where id = ${merchantId}`
  if (!row) throw new Error(`There is no merchant ${merchantId}`)
  return row.api_version
}
