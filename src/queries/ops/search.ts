import { decodeId } from '../../ids.ts'
import type { Sql } from '../../postgres/connect.ts'
import { type MachineName, machineNames, resources } from '../../resources.ts'
import { isAddress, isTxHash } from '../list-filters.ts'
import type { Fragment } from '../list-rows.ts'

export type FoundActor = { readonly kind: MachineName; readonly id: string; readonly state: string }

const MOST = 100

/** The actors of all merchants with this ID, reference, transaction hash or address. */
export const searchActors = async (sql: Sql, text: string): Promise<FoundActor[]> => {
  const lower = text.toLowerCase()
  const parts = [
    ...machineNames.flatMap(kind => {
      const id = decodeId(resources[kind].prefix, text)
      return id === undefined ? [] : [found(sql, kind, sql`id = ${id}`)]
    }),
    ...(isUuid(text) ? byEvent(sql, text) : []),
    ...(isTxHash(text) ? byHash(sql, lower) : []),
    ...(isAddress(text) ? byAddress(sql, lower) : []),
    ofEachMerchant(sql, 'payment_link', sql`reference = ${text}`),
    ofEachMerchant(
      sql,
      'payment',
      sql`list_key(merchant_id, livemode, reference) = list_key(m.id, mode, ${text}) and reference = ${text}`,
    ),
  ]
  const [first, ...others] = parts
  return sql<FoundActor[]>`
    select kind, id, state from (${first ?? sql``} ${others.map(part => sql`union ${part}`)}) as found(kind, id, state)
    order by id desc limit ${MOST}`
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

const found = (sql: Sql, kind: MachineName, condition: Fragment): Fragment => sql`
  (select ${kind}::text, id, state from ${sql(resources[kind].table)} where ${condition} limit ${MOST})`

/** The actor of an event, and the deliveries of the event. */
const byEvent = (sql: Sql, id: string): readonly Fragment[] => [
  found(sql, 'delivery', sql`event_id = ${id}`),
  ...machineNames.map(kind =>
    found(sql, kind, sql`id in (select actor from events where id = ${id} and kind = ${kind})`),
  ),
]

const byHash = (sql: Sql, hash: string): readonly Fragment[] => [
  found(sql, 'payment', sql`id in (select payment_id from transfers where tx_hash = ${hash})`),
  found(sql, 'refund', sql`tx_hash = ${hash}`),
  found(sql, 'refund', sql`stray_tx_hash = ${hash}`),
]

const byAddress = (sql: Sql, address: string): readonly Fragment[] => [
  found(sql, 'payment', sql`id in (select payment_id from deposit_addresses where address = ${address})`),
  ofEachMerchant(
    sql,
    'payment',
    sql`list_key(merchant_id, livemode, payer_address) = list_key(m.id, mode, ${address}) and payer_address = ${address}`,
  ),
  ofEachMerchant(
    sql,
    'refund',
    sql`list_key(merchant_id, livemode, lower(destination)) = list_key(m.id, mode, ${address})
      and destination is not null and lower(destination) = ${address}`,
  ),
]

/** The indexes begin with the merchant and the mode, so each pair is looked up. */
const ofEachMerchant = (sql: Sql, kind: MachineName, condition: Fragment): Fragment => sql`
  (select ${kind}::text, f.id, f.state
   from merchants m cross join (values (false), (true)) as modes(mode)
   cross join lateral (
     select t.id, t.state from ${sql(resources[kind].table)} t
     where t.merchant_id = m.id and t.livemode = mode and ${condition} limit ${MOST}) f
   limit ${MOST})`
