import { randomUUID } from 'node:crypto'
import { getAddress } from 'viem/utils'
import { openKeyring } from '../../src/keyring.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { newId } from '../actors/lamps.ts'
import { addressOf } from './chain-node.ts'
import { SECRET_KEY } from './webhooks-instance.ts'
import { SECRET } from './webhooks-request.ts'

/** The amount of every payment of the bench: 49 dollars. */
export const AMOUNT_MINOR = 4_900

/** Merchants in test mode with a treasury of their own, each with one endpoint for `payment.succeeded`. */
export const insertMerchants = async (sql: Sql, count: number, endpointUrl: string): Promise<readonly string[]> => {
  const keyring = openKeyring(SECRET_KEY)
  const merchants = Array.from({ length: count }, () => randomUUID() as string)
  const treasuries = merchants.map(id => getAddress(addressOf('treasury', id)))
  const endpoints = merchants.map(() => randomUUID() as string)
  const sealed = endpoints.map(id => keyring.seal('webhook secret', id, SECRET))
  await sql`insert into merchants (id, name) select id, 'A shop' from unnest(${merchants}::uuid[]) id`
  await sql`insert into merchant_settings (merchant_id, livemode) select id, false from unnest(${merchants}::uuid[]) id`
  await sql`
    insert into receiving_addresses (merchant_id, livemode, address)
    select id, false, address from unnest(${merchants}::uuid[], ${treasuries}::text[]) as given(id, address)`
  await sql`
    insert into webhook_endpoints (
      id, merchant_id, livemode, url, event_types, state, sealed_secret, enabled_at, created_at, updated_at)
    select id, merchant, false, ${endpointUrl}, '{payment.succeeded}', 'enabled', sealed, now(), now(), now()
    from unnest(${endpoints}::uuid[], ${merchants}::uuid[], ${sealed}::text[]) as given(id, merchant, sealed)`
  await sql`select renew_subscriptions(id) from webhook_endpoints`
  return merchants
}

export type Link = { readonly id: string; readonly merchantId: string }

/** Links without a limit of payments, of the merchants in turn; their window lasts longer than the bench. */
export const insertLinks = async (sql: Sql, merchants: readonly string[], count: number): Promise<readonly Link[]> => {
  const links = Array.from({ length: count }, (_, n) => ({
    id: newId(),
    merchantId: merchants[n % merchants.length] ?? '',
  }))
  const [ids, owners] = [links.map(({ id }) => id), links.map(({ merchantId }) => merchantId)]
  await sql`
    with links as (
      insert into payment_links (
        id, state, rev, version, created_at, updated_at, merchant_id, livemode, amount_minor, currency, title, reference,
        metadata, window_minutes, payments_opened, payments_processing, payments_count)
      select id, 'active', 1, 1, now(), now(), merchant, false, ${AMOUNT_MINOR}, 'USD', 'A lamp', 'order ' || n,
        '{"shelf": "B"}', 10080, 0, 0, 0
      from unnest(${ids}::uuid[], ${owners}::uuid[]) with ordinality as given(id, merchant, n)
      returning *)
    insert into transitions (
      actor, rev, kind, command, keyed, event, to_state, context, at, era, merchant_id, livemode, actor_created_at, digest)
    select id, 1, 'payment_link', id, false, 'create', 'active', context, created_at, current_era(), merchant_id, livemode,
      made_at,
      transition_digest(id, 1, 'payment_link', id, 'create', null, 'active', null, context, created_at, merchant_id, livemode,
        made_at)
    from (
      select *, json_build_object('paymentsOpened', 0, 'paymentsProcessing', 0, 'paymentsCount', 0)::text as context,
        date_trunc('milliseconds', created_at) as made_at
      from links offset 0) links`
  return links
}
