import type { Sql } from '../postgres/connect.ts'
import { type Check, isIn, type Part, type PartCheck } from './rules/check.ts'

/** I1: a delivery is that of an event, to an endpoint that was subscribed. */
export const auditFanOut: readonly PartCheck[] = [
  {
    invariant: 'I1',
    what: 'a delivery to an endpoint that was not subscribed',
    breaches: (sql, part) => sql`
      with wanted as (${wanted(sql, part)})
      select d.id
      from deliveries d left join wanted w on w.event_id = d.event_id and w.endpoint_id = d.endpoint_id
      where ${isIn(sql, part, sql`d.id`)} and w.event_id is null`,
  },
  {
    invariant: 'I1',
    what: 'a delivery that is not from the commit of its event, or has other data than the event',
    breaches: (sql, part) => sql`
      select d.id
      from deliveries d join events e on e.id = d.event_id
      where ${isIn(sql, part, sql`d.id`)} and (d.merchant_id, d.livemode, d.event_type, d.created_at)
        is distinct from (e.merchant_id, e.livemode, e.type, e.created_at)`,
  },
]

/**
 * I1: every event has exactly one delivery for each endpoint that was subscribed at its commit. A subscription stores
 * which commits came before it was opened and before it was closed, so the check is exact.
 */
export const auditWebhooks: readonly Check[] = [
  {
    invariant: 'I1',
    what: 'an event without a delivery to a subscribed endpoint',
    // Of a day whose deliveries were dropped, as many are missing as were counted.
    breaches: sql => sql`
      with wanted as (${wanted(sql)}),
      missing as materialized (
        select w.event_id, (e.created_at at time zone 'UTC')::date as day
        from wanted w
        join events e on e.id = w.event_id
        left join deliveries d on d.event_id = w.event_id and d.endpoint_id = w.endpoint_id
        where d.id is null)
      select event_id as id from missing
      where day not in (select day from dropped_parts where part = 'deliveries')
      union all
      select last_id from dropped_parts p
      where part = 'deliveries' and dropped <> (select count(*) from missing m where m.day = p.day)`,
  },
  ...auditFanOut,
  {
    invariant: 'I1',
    what: 'an event with two deliveries to one endpoint',
    breaches: sql => sql`
      select event_id as id from deliveries group by event_id, endpoint_id having count(*) > 1`,
  },
  {
    invariant: 'I1',
    what: 'an endpoint whose subscriptions differ from its event types',
    breaches: sql => sql`
      select w.id
      from webhook_endpoints w
      left join lateral (
        select array_agg(event_type order by event_type) as types, bool_and(
          s.merchant_id = w.merchant_id and s.livemode = w.livemode) as own
        from webhook_subscriptions s where s.endpoint_id = w.id and s.closed_at is null
      ) s on true
      where case w.state when 'enabled'
        then not s.own or s.types is distinct from array(
          select t from unnest(w.event_types || 'webhook_endpoint.test'::text) t order by t)
        else s.types is not null end`,
  },
]

/** The endpoints that each event had to be delivered to. */
const wanted = (sql: Sql, part?: Part) => sql`
  select distinct e.id as event_id, s.endpoint_id
  from events e
  join webhook_subscriptions s
    on s.merchant_id = e.merchant_id and s.livemode = e.livemode and s.event_type = e.type
    and (e.kind <> 'webhook_endpoint' or s.endpoint_id = e.actor)
  where ${part ? sql`e.id in (select event_id from deliveries where ${isIn(sql, part, sql`id`)})` : sql`true`}
    and not precedes(e.era, e.xid, s.opened_era, s.opened_snapshot)
    and (s.closed_at is null or precedes(e.era, e.xid, s.closed_era, s.closed_snapshot))`
