import type { Sql } from '../postgres/connect.ts'
import type { Check } from './rules/check.ts'

/**
 * I1: every event has exactly one delivery for each endpoint that was subscribed at its commit. A subscription stores
 * which commits came before it was opened and before it was closed, so the check is exact.
 */
export const auditWebhooks: readonly Check[] = [
  {
    invariant: 'I1',
    what: 'an event without a delivery to a subscribed endpoint',
    breaches: sql => sql`
      with wanted as (${wanted(sql)})
      select w.event_id as id
      from wanted w left join deliveries d on d.event_id = w.event_id and d.endpoint_id = w.endpoint_id
      where d.id is null`,
  },
  {
    invariant: 'I1',
    what: 'a delivery to an endpoint that was not subscribed',
    breaches: sql => sql`
      with wanted as (${wanted(sql)})
      select d.id
      from deliveries d left join wanted w on w.event_id = d.event_id and w.endpoint_id = d.endpoint_id
      where w.event_id is null`,
  },
  {
    invariant: 'I1',
    what: 'an event with two deliveries to one endpoint',
    breaches: sql => sql`
      select event_id as id from deliveries group by event_id, endpoint_id having count(*) > 1`,
  },
  {
    invariant: 'I1',
    what: 'a delivery that is not from the commit of its event, or has other data than the event',
    breaches: sql => sql`
      select d.id
      from deliveries d join events e on e.id = d.event_id
      where (d.merchant_id, d.livemode, d.event_type, d.created_at)
        is distinct from (e.merchant_id, e.livemode, e.type, e.created_at)`,
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
const wanted = (sql: Sql) => sql`
  select distinct e.id as event_id, s.endpoint_id
  from events e
  join webhook_subscriptions s
    on s.merchant_id = e.merchant_id and s.livemode = e.livemode and s.event_type = e.type
    and (e.kind <> 'webhook_endpoint' or s.endpoint_id = e.actor)
  where not precedes(e.era, e.xid, s.opened_era, s.opened_snapshot)
    and (s.closed_at is null or precedes(e.era, e.xid, s.closed_era, s.closed_snapshot))`
