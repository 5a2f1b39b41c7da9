import type { Sql } from '../../postgres/connect.ts'
import { type MachineName, machineNames, resources } from '../../resources.ts'
import type { Fragment } from '../list-rows.ts'
import type { OpsActor } from './actors.ts'

/** `relation`: what the other actor is to this one. */
export type Related = {
  readonly relation:
    | 'payment_link'
    | 'payment'
    | 'refund'
    | 'dispute'
    | 'customer'
    | 'invoice'
    | 'subscription'
    | 'credit_note'
    | 'document_series'
    | 'delivery'
    | 'subject'
  readonly kind: MachineName
  readonly id: string
  readonly state: string
}

/** Per relation; the latest ones. */
const MOST = 50

/** The actors that this one belongs to, that belong to it, and the deliveries of its events. */
export const listRelated = async (sql: Sql, { name, actor, merchantId, livemode }: OpsActor): Promise<Related[]> => {
  const { id } = actor
  const context: Readonly<Record<string, unknown>> = actor.context
  const one = (relation: Related['relation'], kind: MachineName, key: unknown): Fragment => sql`
    (select ${relation}::text, ${kind}::text, id, state
     from ${sql(resources[kind].table)} where id = ${String(key)})`
  const many = (
    kind: 'payment' | 'refund' | 'dispute' | 'invoice' | 'subscription' | 'credit_note',
    column: string,
  ): Fragment => sql`
    (select ${kind}::text, ${kind}::text, id, state from ${sql(resources[kind].table)}
     where merchant_id = ${merchantId} and livemode = ${livemode} and ${sql(column)} = ${id}
     order by seq desc limit ${MOST})`
  const deliveries = sql`
    (select 'delivery', 'delivery', d.id, d.state
     from (select id from events where actor = ${id} order by seq desc limit ${MOST}) e
     join deliveries d on d.event_id = e.id limit ${MOST})`
  const subjects = machineNames.map(
    kind => sql`
    (select 'subject', ${kind}::text, t.id, t.state from events e join ${sql(resources[kind].table)} t on t.id = e.actor
     where e.id = ${String(context.eventId ?? NONE)} and e.kind = ${kind})`,
  )
  const parts: { readonly [Name in MachineName]?: readonly Fragment[] } = {
    payment: [
      one('payment_link', 'payment_link', context.paymentLinkId),
      many('refund', 'payment_id'),
      many('dispute', 'payment_id'),
      one('customer', 'customer', context.customerId ?? NONE),
      deliveries,
    ],
    refund: [one('payment', 'payment', context.paymentId), deliveries],
    dispute: [one('payment', 'payment', context.paymentId), deliveries],
    payment_link: [many('payment', 'payment_link_id')],
    customer: [
      one('customer', 'customer', context.mergedIntoId ?? NONE),
      many('payment', 'customer_id'),
      many('invoice', 'customer_id'),
      many('subscription', 'customer_id'),
      deliveries,
    ],
    subscription: [one('customer', 'customer', context.customerId), many('invoice', 'subscription_id'), deliveries],
    invoice: [
      one('customer', 'customer', context.customerId),
      one('subscription', 'subscription', context.subscriptionId ?? NONE),
      one('document_series', 'document_series', context.seriesId ?? NONE),
      one('payment_link', 'payment_link', context.paymentLinkId ?? NONE),
      many('credit_note', 'invoice_id'),
      deliveries,
    ],
    credit_note: [
      one('customer', 'customer', context.customerId),
      one('invoice', 'invoice', context.invoiceId),
      one('document_series', 'document_series', context.seriesId),
      deliveries,
    ],
    document_series: [deliveries],
    test_clock: [],
    delivery: subjects,
  }
  const none = sql`(select null, null, null::uuid, null where false)`
  return sql<Related[]>`
    select * from (${none} ${(parts[name] ?? []).map(part => sql`union all ${part}`)}) as related(relation, kind, id, state)`
}

const NONE = '00000000-0000-0000-0000-000000000000'
