import type { Sql } from '../postgres/connect.ts'
import type { ListOwner } from './list-rows.ts'
import { needsAttention } from './refund-attention.ts'

/** What a merchant has invoiced in a span of time, and what is owed, credited and subscribed now. */
export type BillingFigures = {
  readonly currency: string
  readonly invoiced: string
  readonly invoice_paid: string
  readonly overdue: string
  readonly overdue_count: number
  readonly credit: string
  readonly mrr: string
  readonly trialing: number
  readonly active: number
  readonly past_due: number
  readonly paused: number
}

export const readBillingFigures = (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<BillingFigures[]> => sql<BillingFigures[]>`
  select currency, sum(invoiced)::text as invoiced, sum(paid)::text as invoice_paid, sum(overdue)::text as overdue,
    sum(overdue_count)::float8 as overdue_count, sum(credit)::text as credit, sum(mrr)::text as mrr,
    sum(trialing)::float8 as trialing, sum(active)::float8 as active, sum(past_due)::float8 as past_due,
    sum(paused)::float8 as paused
  from billing_figures(${merchantId}, ${livemode}, ${start}, ${end})
  group by currency order by currency`

/** More than so many are not counted. */
export const MOST_COUNTED = 1_000

export type AttentionCount = { readonly kind: string; readonly count: number }

/** Records that do not go on without a person, by kind. */
export const countAttention = (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  chainsOn: readonly number[],
): Promise<AttentionCount[]> => sql<AttentionCount[]>`
  select kind, count::float8 as count from (
    select 'payments' as kind, (select count(*) from (
      select from payments where merchant_id = ${merchantId} and livemode = ${livemode} and attention
      limit ${MOST_COUNTED}) p) as count
    union all
    select 'refunds', (select count(*) from (
      select from refunds
      where merchant_id = ${merchantId} and livemode = ${livemode} and ${needsAttention(sql, merchantId, chainsOn)}
      limit ${MOST_COUNTED}) r)
    union all
    select 'webhook_endpoints', (
      select count(*) from webhook_endpoints
      where merchant_id = ${merchantId} and livemode = ${livemode} and state = 'disabled'
        and disabled_reason <> 'by_merchant')
    union all
    select 'webhook_deliveries', (select count(*) from (
      select from webhook_endpoints w
      join deliveries d on d.endpoint_id = w.id and d.state = 'failed'
      where w.merchant_id = ${merchantId} and w.livemode = ${livemode} and w.state <> 'deleted'
      limit ${MOST_COUNTED}) d)
    union all
    select 'overdue_invoices', (select count(*) from (
      select from invoices where merchant_id = ${merchantId} and livemode = ${livemode} and overdue
      limit ${MOST_COUNTED}) i)
  ) counts
  where count > 0`
