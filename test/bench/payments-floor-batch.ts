import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/postgres/connect.ts'
import { newId } from '../actors/lamps.ts'
import { addressOf } from './chain-node.ts'
import type { Commit, Commits } from './payments-floor.ts'
import type { PaidTransition } from './payments-rows.ts'
import { AMOUNT_MINOR, type Link } from './payments-setup.ts'

export type Batch = {
  readonly commits: Commits
  /** One payment is inserted for each link. */
  readonly links: readonly Link[]
  /** Unique per batch and rising. */
  readonly number: number
}

const CHAIN_ID = 421_614
const TOKEN = addressOf('token')
const PAYER = addressOf('payer')
const DUE = String(AMOUNT_MINOR * 10 ** 4)
const DIGEST = '0123456789abcdef'
const SECRET_HASH = 'ab'.repeat(32)

/** Payments from their opening to the response to their webhook: one statement per commit of the service. */
export const writeBatch = async (sql: Sql, batch: Batch): Promise<void> => {
  const { commits, links, number } = batch
  const ids = links.map(() => newId())
  const deliveries = links.map(() => newId())
  const linkIds = links.map(({ id }) => id)
  const owners = links.map(({ merchantId }) => merchantId)
  const addresses = ids.map(id => addressOf('deposit', id))
  const eventIds = links.map(() => newId())
  const blockHash = `0xb${number.toString(16).padStart(63, '0')}`
  const txHash = `0xc${number.toString(16).padStart(63, '0')}`
  const historyOf = (commit: Commit) =>
    insertHistory(sql, commit, { ids, linkIds, deliveries, owners, eventIds, linkRev: 10 * number })
  const updatedLinks = ({ transitions }: Commit, count: 'opened' | 'processing' | 'count', by: number) => sql`
    links as (
      update payment_links l set rev = rev + 1, updated_at = now(), ${sql(`payments_${count}`)} = ${sql(`payments_${count}`)} + ${by}
      from unnest(${transitions.some(({ kind }) => kind === 'payment_link') ? linkIds : []}::uuid[]) as given(id)
      where l.id = given.id)`

  await sql`
    with ${historyOf(commits.opened)}, ${updatedLinks(commits.opened, 'opened', 1)},
    -- In one order; two batches with the same merchants would otherwise wait for each other.
    locked as materialized (
      select id from recovery_secrets where id = any(${owners}::uuid[]) order by id for update),
    drawn as (
      update recovery_secrets r set next_counter = next_counter + given.count
      from (select id, count(*) from unnest(${owners}::uuid[]) as owners(id) join locked using (id) group by id) given
      where r.id = given.id),
    checkout as (
      insert into checkouts (payment_id, secret_hash)
      select id, decode(${SECRET_HASH}, 'hex') from unnest(${ids}::uuid[]) as given(id)),
    deposits as (
      insert into deposit_addresses (address, payment_id, merchant_id, treasury, counter)
      select address, id, merchant, ${TOKEN}, ${number}::bigint * 1000000 + n
      from unnest(${addresses}::text[], ${ids}::uuid[], ${owners}::uuid[]) with ordinality as given(address, id, merchant, n))
    insert into payments (
      id, state, rev, version, created_at, updated_at, merchant_id, livemode, api_version, payment_link_id,
      amount_minor, currency, customer_email, customer_name, reference, metadata, tolerance_bps, late_policy, expires_at,
      chain_id, asset, token_address, decimals, address, amount_expected, confirmations_required, pegged, scan,
      amount_received, amount_final, received_minor,
      final_strays, announced, window_lengthened, collection_unexplained, attention, refunds_reserved_minor, amount_refunded_minor)
    select id, 'pending', 2, 1, now(), now(), merchant, false, '2026-11-20', link,
      ${AMOUNT_MINOR}, 'USD', 'ada@example.com', 'Ada Example', 'order 1', '{"shelf": "B"}', 50, 'accept_stablecoins',
      now() + interval '7 days',
      ${CHAIN_ID}, 'USDC', ${TOKEN}, 6, address, ${DUE}, 40, true, 0,
      0, 0, 0,
      0, '[]', false, false, false, 0, 0
    from unnest(${ids}::uuid[], ${owners}::uuid[], ${linkIds}::uuid[], ${addresses}::text[])
      as given(id, merchant, link, address)`

  await sql`
    with transfer as (
      insert into transfers (
        chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, token_address, from_address,
        to_address, amount, state, agreed)
      select ${CHAIN_ID}, ${txHash}, n, ${number}, ${blockHash}, now(), id, ${TOKEN}, ${PAYER}, address, ${DUE}, 'seen', true
      from unnest(${ids}::uuid[], ${addresses}::text[]) with ordinality as given(id, address, n)),
    summed as (
      insert into transfer_sums (
        payment_id, chain_id, block_number, block_hash, mined_at, token_address, state, transfers, amount, tx_hash,
        log_index, from_address)
      select id, ${CHAIN_ID}, ${number}, ${blockHash}, now(), ${TOKEN}, 'seen', 1, ${DUE}, ${txHash}, n, ${PAYER}
      from unnest(${ids}::uuid[]) with ordinality as given(id, n))
    insert into unsettled_payments (payment_id, chain_id, step)
    select id, ${CHAIN_ID}, ${number} from unnest(${ids}::uuid[]) as given(id)`

  await sql`
    with ${historyOf(commits.seen)}, ${updatedLinks(commits.seen, 'processing', 1)},
    settled as (
      delete from unsettled_payments u using unnest(${ids}::uuid[]) as given(id) where u.payment_id = given.id)
    update payments p set state = 'processing', rev = 3, updated_at = now(), scan = ${number}, amount_received = ${DUE},
      payer_address = ${PAYER}, tx_hash = ${txHash}, block_number = ${number}, announced = jsonb_build_array('p' || ${txHash}::text)
    from unnest(${ids}::uuid[]) as given(id) where p.id = given.id`

  await sql`
    with transfer as (
      update transfers t set state = 'final'
      from unnest(${ids}::uuid[]) with ordinality as given(id, n)
      where t.chain_id = ${CHAIN_ID} and t.block_hash = ${blockHash} and t.tx_hash = ${txHash} and t.log_index = given.n),
    unsummed as (
      delete from transfer_sums s using unnest(${ids}::uuid[]) as given(id)
      where s.payment_id = given.id and s.block_number = ${number} and s.chain_id = ${CHAIN_ID}),
    summed as (
      insert into transfer_sums (
        payment_id, chain_id, block_number, block_hash, mined_at, token_address, state, transfers, amount, tx_hash,
        log_index, from_address)
      select id, ${CHAIN_ID}, ${number}, ${blockHash}, now(), ${TOKEN}, 'final', 1, ${DUE}, ${txHash}, n, ${PAYER}
      from unnest(${ids}::uuid[]) with ordinality as given(id, n)),
    waiting as (
      insert into waiting_addresses (chain_id, address, merchant_id, last_block)
      select ${CHAIN_ID}, address, merchant, ${number}
      from unnest(${addresses}::text[], ${owners}::uuid[]) as given(address, merchant))
    insert into unsettled_payments (payment_id, chain_id, step)
    select id, ${CHAIN_ID}, ${number} + 1 from unnest(${ids}::uuid[]) as given(id)`

  await sql`
    with ${historyOf(commits.final)}, ${updatedLinks(commits.final, 'count', 1)},
    settled as (
      delete from unsettled_payments u using unnest(${ids}::uuid[]) as given(id) where u.payment_id = given.id),
    due as (
      insert into deliveries (
        id, state, rev, version, created_at, updated_at, merchant_id, livemode, event_id, event_type, endpoint_id,
        attempts, automatic_attempts, trigger, next_attempt_at, cancel_requested)
      select given.id, 'pending', 1, 1, now(), now(), merchant, false, event, 'payment.succeeded', e.id, 0, 0, 'automatic',
        now(), false
      from unnest(${deliveries}::uuid[], ${eventIds}::uuid[], ${owners}::uuid[]) as given(id, event, merchant)
      cross join lateral (
        select id from webhook_endpoints
        where merchant_id = given.merchant and livemode = false and state <> 'deleted' offset 0) e)
    update payments p set state = 'success', rev = 4, updated_at = now(), scan = ${number}, amount_final = ${DUE},
      received_minor = ${AMOUNT_MINOR}
    from unnest(${ids}::uuid[]) as given(id) where p.id = given.id`

  const claim = newId()
  await sql`
    with attempts as (
      insert into delivery_attempts (delivery_id, number, trigger, worker, started_at)
      select id, 1, 'automatic', ${claim}, now() from unnest(${deliveries}::uuid[]) as given(id)),
    claims as (
      insert into delivery_claims (id, worker, claimed_at, deliveries) values (${claim}, ${claim}, now(), ${deliveries}))
    update deliveries d set state = 'sending', rev = 2, attempts = 1, automatic_attempts = 1, next_attempt_at = null,
      sending_since = now(), updated_at = now()
    from unnest(${deliveries}::uuid[]) as given(id) where d.id = given.id`

  await sql`
    with ${historyOf(commits.delivered)},
    attempts as (
      update delivery_attempts a set finished_at = now(), duration_ms = 5, outcome = 'delivered', http_status = 200,
        response_snippet = 'thank you'
      from unnest(${deliveries}::uuid[]) as given(id) where a.delivery_id = given.id and a.number = 1),
    claims as (delete from delivery_claims where id = ${claim})
    update deliveries d set state = 'delivered', rev = 3, sending_since = null, delivered_at = now(), updated_at = now()
    from unnest(${deliveries}::uuid[]) as given(id) where d.id = given.id`
}

type Whose = {
  readonly ids: readonly string[]
  readonly linkIds: readonly string[]
  readonly deliveries: readonly string[]
  readonly owners: readonly string[]
  /** The events that are delivered. */
  readonly eventIds: readonly string[]
  /** The first free revision of the links. */
  readonly linkRev: number
}

/** As many transitions and events per payment, with the same texts, as the service has written for one. */
const insertHistory = (sql: Sql, { transitions, events }: Commit, whose: Whose) => {
  const { ids, linkIds, deliveries, owners, eventIds, linkRev } = whose
  const actors: Readonly<Record<string, readonly string[]>> = {
    payment: ids,
    payment_link: linkIds,
    delivery: deliveries,
  }
  // A link occurs in many batches, so each batch has ten of its revisions.
  const revOf = ({ kind, rev }: PaidTransition) => (kind === 'payment_link' ? linkRev + (rev % 10) : rev)
  const rows = ids.flatMap((_, n) =>
    transitions.map(each => ({
      ...each,
      ...{ rev: revOf(each), actor: actors[each.kind]?.[n] ?? '', merchant: owners[n] ?? '' },
    })),
  )
  const published = ids.flatMap((payment, n) =>
    events.map(each => ({
      ...each,
      ...{ payment, merchant: owners[n] ?? '' },
      id: each.type === 'payment.succeeded' ? (eventIds[n] ?? '') : newId(),
    })),
  )
  return sql`
    history as (
      insert into transitions (
        actor, rev, kind, command, keyed, event, from_state, to_state, cause, context, at, era, merchant_id, livemode,
        actor_created_at, digest)
      select actor, rev, kind, command, keyed, event, from_state, to_state, cause, context, now(), 1, merchant, false, now(),
        decode(${DIGEST}, 'hex')
      from unnest(
        ${rows.map(({ actor }) => actor)}::uuid[], ${rows.map(({ rev }) => rev)}::int[],
        ${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ keyed }) => (keyed ? randomUUID() : newId()))}::uuid[],
        ${rows.map(({ keyed }) => String(keyed))}::text[]::bool[], ${rows.map(({ event }) => event)}::text[],
        ${rows.map(({ from }) => from)}::text[], ${rows.map(({ to }) => to)}::text[],
        ${rows.map(({ cause }) => cause)}::text[], ${rows.map(({ context }) => context)}::text[],
        ${rows.map(({ merchant }) => merchant)}::uuid[])
        as r(actor, rev, kind, command, keyed, event, from_state, to_state, cause, context, merchant)),
    published as (
      insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era, digest)
      select id, 'payment', payment, 1, type, merchant, false, '2026-11-20', object, now(), 1, decode(${DIGEST}, 'hex')
      from unnest(
        ${published.map(({ id }) => id)}::uuid[], ${published.map(({ payment }) => payment)}::uuid[],
        ${published.map(({ type }) => type)}::text[], ${published.map(({ merchant }) => merchant)}::uuid[],
        ${published.map(({ object }) => object)}::text[])
        as r(id, payment, type, merchant, object))`
}
