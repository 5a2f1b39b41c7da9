import { createHash } from 'node:crypto'
import { forwarderOf, saltOf } from '../../src/chain/forwarder.ts'
import type { Keyring } from '../../src/keyring.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import type { Fragment } from '../../src/queries/list-rows.ts'
import { RECOVERY_PURPOSE } from '../../src/sealed-columns.ts'

/** The payments of one merchant use one link, and their events go to one endpoint. */
const PAYMENTS_OF_MERCHANT = 10_000
const ROWS_AT_ONCE = 20_000
const treasury = `0x${'7'.repeat(40)}` as const

/**
 * Paid payments as the service would leave them: each with its address, its transfer, four history rows, three events,
 * and a delivery of one event with its own history. A commit contains a hundred payments.
 */
export const insertPaidPayments = async (sql: Sql, keyring: Keyring, payments: number): Promise<void> => {
  await sql`select check_era()`
  await sql`alter table events disable trigger events_fan_out`
  const merchants = Math.ceil(payments / PAYMENTS_OF_MERCHANT)
  await insertMerchants(sql, keyring, merchants)
  const addressOf = forwarderOf(treasury)
  for (let first = 0; first < payments; first += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, payments - first)
    const addresses = Array.from({ length: count }, (_, n) =>
      addressOf(saltOf(secretOf(Math.floor((first + n) / PAYMENTS_OF_MERCHANT)), (first + n) % PAYMENTS_OF_MERCHANT)),
    )
    await insertPayments(sql, first, addresses)
  }
  await sql`
    insert into chain_cursors (chain_id, number, hash, mined_at, final_number, step)
    values (31337, 2000000, '0x' || repeat('8', 64), now(), 2000000, 1)`
  await sql`insert into chain_blocks values (31337, 2000000, '0x' || repeat('8', 64), now())`
  await sql`alter table events enable trigger events_fan_out`
  await sql`vacuum analyze`
}

const secretOf = (merchant: number): Buffer => createHash('sha256').update(`merchant ${merchant}`).digest()

const insertMerchants = async (sql: Sql, keyring: Keyring, merchants: number): Promise<void> => {
  await sql`
    insert into merchants (id, name) select ${idOf(sql, 'a')}, 'A shop' from generate_series(0, ${merchants - 1}::int) n`
  const ids = (await sql<{ id: string }[]>`select id from merchants order by id`).map(({ id }) => id)
  const sealed = ids.map((id, at) => keyring.seal(RECOVERY_PURPOSE, id, secretOf(at).toString('hex')))
  await sql`
    insert into recovery_secrets (id, sealed_secret, next_counter)
    select id, sealed, ${PAYMENTS_OF_MERCHANT} from unnest(${ids}::uuid[], ${sealed}::text[]) as given(id, sealed)`
  await sql`
    insert into webhook_endpoints (
      id, merchant_id, livemode, url, event_types, state, sealed_secret, enabled_at, created_at, updated_at)
    select ${idOf(sql, 'b')}, ${idOf(sql, 'a')}, false, 'https://example.com', '{payment.succeeded}', 'enabled', 'x',
      now(), now(), now()
    from generate_series(0, ${merchants - 1}::int) n`
  await sql`select renew_subscriptions(id) from webhook_endpoints`
  await sql`update webhook_subscriptions set opened_snapshot = '3:3:'`
}

/** An id made of a letter for the kind and the number `n`. */
const idOf = (sql: Sql, letter: string, n = sql`n`) =>
  sql`(${`0193a00${letter}-0000-7000-8000-`}::text || lpad(to_hex(${n}::bigint), 12, '0'))::uuid`

const insertPayments = async (sql: Sql, first: number, addresses: readonly string[]): Promise<void> => {
  const merchant = sql`n / ${PAYMENTS_OF_MERCHANT}::int`
  // One statement per table, and one transaction id for a hundred payments.
  const numbers = sql`
    (select n, ${idOf(sql, 'c')} as payment, ${idOf(sql, 'a', merchant)} as merchant, ${idOf(sql, 'd', merchant)} as link,
        address, '0x' || lpad(to_hex(n), 64, '0') as tx_hash, (1000 + n / 100)::text::xid8 as xid,
        timestamptz '2026-03-01' + n * interval '1 s' as at
      from unnest(${addresses}::text[]) with ordinality as given(address, place)
      cross join lateral (select ${first}::int + place::int - 1 as n) numbered offset 0) p`
  await sql`
    insert into payment_links (
      id, state, rev, version, created_at, updated_at, merchant_id, livemode, amount_minor, currency, metadata,
      window_minutes, payments_opened, payments_processing, payments_count)
    select link, 'active', 1, 1, min(at), min(at), merchant, false, 4900, 'EUR', '{}', 30, count(*), 0, count(*)
    from ${numbers}
    group by link, merchant
    on conflict (id) do update set payments_opened = payment_links.payments_opened + excluded.payments_opened,
      payments_count = payment_links.payments_count + excluded.payments_count`
  await sql`
    insert into payments (
      id, state, rev, version, created_at, updated_at, merchant_id, livemode, api_version, payment_link_id,
      amount_minor, currency, customer_email, metadata, tolerance_bps, late_policy, expires_at,
      chain_id, asset, token_address, decimals, address, amount_expected, confirmations_required, pegged, scan,
      amount_received, amount_final, received_minor, payer_address, tx_hash, block_number,
      final_strays, window_lengthened, announced, collection_unexplained, attention, refunds_reserved_minor, amount_refunded_minor)
    select payment, 'success', 4, 1, at, at, merchant, false, '2026-11-20', link,
      4900, 'EUR', 'ada@example.com', '{}', 0, 'accept_stablecoins', at + interval '30 min',
      31337, 'TUSD', '0x' || repeat('a', 40), 6, address, 49000000, 3, true, 9,
      49000000, 49000000, 4900, '0x' || repeat('c', 40), tx_hash, 1000 + n,
      0, false, '[]', false, false, 0, 0
    from ${numbers}`
  await sql`
    insert into deposit_addresses (address, payment_id, merchant_id, treasury, counter)
    select address, payment, merchant, ${treasury}, n % ${PAYMENTS_OF_MERCHANT}::int from ${numbers}`
  await sql`
    insert into transfers (
      chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, token_address, from_address,
      to_address, amount, state)
    select 31337, tx_hash, 3, 1000 + n, tx_hash, at, payment, '0x' || repeat('a', 40), '0x' || repeat('c', 40), address,
      49000000, 'final'
    from ${numbers}`
  await insertHistory(sql, numbers)
  await insertEvents(sql, numbers)
  await insertDeliveries(sql, numbers)
}

type Rows = Fragment

const insertHistory = async (sql: Sql, numbers: Rows): Promise<void> => {
  await sql`
    insert into transitions (
      actor, rev, kind, command, keyed, event, from_state, to_state, cause, context, at, era, xid, merchant_id, livemode,
      actor_created_at, digest)
    select payment, rev, 'payment', command, false, event, from_state, to_state, cause, context, at, 1, xid, merchant, false,
      at, transition_digest(payment, rev, 'payment', command, event, from_state, to_state, cause, context, at, merchant, false,
        at)
    from (
      select p.*, h.*, gen_random_uuid() as command,
        json_build_object('amountMinor', 4900, 'currency', 'EUR',
          'expiresAt', to_char((at + interval '30 min') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'chainId', case when rev > 1 then 31337 end, 'asset', case when rev > 1 then 'TUSD' end,
          'address', case when rev > 1 then address end, 'amountExpected', case when rev > 1 then '49000000' end,
          'amountReceived', case when rev > 2 then '49000000' else '0' end,
          'amountFinal', case when rev > 3 then '49000000' else '0' end, 'receivedMinor', case when rev > 3 then 4900 else 0 end,
          'txHash', case when rev > 2 then tx_hash end, 'blockNumber', case when rev > 2 then 1000 + n end,
          'exception', null, 'failureReason', null, 'attention', false, 'refundsReservedMinor', 0,
          'amountRefundedMinor', 0)::text as context
      from ${numbers}
      cross join (values
        (1, 'create', null, 'pending', 'customer'), (2, 'asset_picked', 'pending', 'pending', 'customer'),
        (3, 'enough_seen', 'pending', 'processing', 'chain:31337'),
        (4, 'finalized', 'processing', 'success', 'chain:31337')) h(rev, event, from_state, to_state, cause)
      offset 0) h`
  await sql`
    insert into transitions (
      actor, rev, kind, command, keyed, event, from_state, to_state, context, at, era, merchant_id, livemode,
      actor_created_at, digest)
    select id, 1, 'payment_link', id, false, 'create', null, 'active', context, created_at, 1, merchant_id, livemode,
      date_trunc('milliseconds', created_at),
      transition_digest(id, 1, 'payment_link', id, 'create', null, 'active', null, context, created_at, merchant_id, livemode,
        date_trunc('milliseconds', created_at))
    from (
      select l.*, json_build_object('paymentsOpened', payments_opened, 'paymentsCount', payments_count)::text as context
      from payment_links l offset 0) l
    on conflict (actor, rev) do update set context = excluded.context, digest = excluded.digest`
}

const insertEvents = async (sql: Sql, numbers: Rows): Promise<void> => {
  await sql`
    insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era, xid, digest)
    select event, 'payment', payment, rev, type, merchant, false, '2026-11-20', object, at, 1, xid,
      event_digest(event, payment, rev, type, merchant, false, '2026-11-20', object, at)
    from (
      select p.*, h.*, ${idOf(sql, 'e', sql`n::bigint * 4 + h.rev`)} as event,
        json_build_object('object', 'payment', 'id', payment, 'merchantId', merchant, 'status', h.type,
          'amountMinor', 4900, 'currency', 'EUR', 'customerEmail', 'ada@example.com', 'description', repeat('x', 300))::text as object
      from ${numbers}
      cross join (values (1, 'payment.created'), (3, 'payment.processing'), (4, 'payment.succeeded')) h(rev, type)
      order by n, h.rev offset 0) e`
}

const insertDeliveries = async (sql: Sql, numbers: Rows): Promise<void> => {
  await sql`
    insert into deliveries (
      id, state, rev, version, created_at, updated_at, merchant_id, livemode, event_id, event_type, endpoint_id, attempts,
      automatic_attempts, trigger, cancel_requested, delivered_at)
    select ${idOf(sql, 'f')}, 'delivered', 3, 1, at, at, merchant, false, ${idOf(sql, 'e', sql`n::bigint * 4 + 4`)},
      'payment.succeeded', ${idOf(sql, 'b', sql`n / ${PAYMENTS_OF_MERCHANT}::int`)}, 1, 1, 'automatic', false, at
    from ${numbers}`
  await sql`
    insert into delivery_attempts
    select ${idOf(sql, 'f')}, 1, 'automatic', payment, at, at, 5, 'delivered', 200, null from ${numbers}`
  await sql`
    insert into transitions (
      actor, rev, kind, command, keyed, event, from_state, to_state, cause, context, at, era, xid, merchant_id, livemode,
      actor_created_at, digest)
    select actor, 3, 'delivery', command, false, 'attempt_succeeded', 'sending', 'delivered', 'sender', context, at, 1, xid,
      merchant, false, at,
      transition_digest(actor, 3, 'delivery', command, 'attempt_succeeded', 'sending', 'delivered', 'sender', context, at,
        merchant, false, at)
    from (
      select ${idOf(sql, 'f')} as actor, gen_random_uuid() as command, at, xid, merchant,
        json_build_object('attempts', 1, 'automaticAttempts', 1, 'trigger', 'automatic', 'nextAttemptAt', null)::text as context
      from ${numbers} offset 0) h`
}
