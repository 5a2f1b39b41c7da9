import { isSettled, readUpTo } from '../../queries/invoice-waits.ts'
import { type Check, isIn, type PartCheck } from './check.ts'

/** Among invoices that are not void: one of a next period that is voided by a change is issued again. */
export const periodInvoices: Check = {
  invariant: 'I4',
  what: 'an invoice of a period that has another one, or that is not of the merchant and the customer of its subscription',
  breaches: sql => sql`
    select min(id::text)::uuid as id from invoices
    where subscription_id is not null and state not in ('void', 'deleted')
    group by subscription_id, period_index having count(*) > 1
    union all
    select i.id from invoices i left join subscriptions s on s.id = i.subscription_id
    where i.subscription_id is not null
      and (s.merchant_id, s.livemode, survivor_of(s.customer_id))
        is distinct from (i.merchant_id, i.livemode, survivor_of(i.customer_id))`,
}

/** The job of a payment may be late: until then an invoice that is paid counts as unpaid. */
export const unpaidInvoices: Check = {
  invariant: 'I4',
  what: 'a subscription whose unpaid invoices differ from its invoices that are open',
  breaches: sql => sql`
    with unpaid as (
      select s.id as subscription_id, (u->>'invoiceId')::uuid as invoice_id, (u->>'periodIndex')::integer as period_index,
        coalesce((u->>'isVoid')::boolean, false) as is_void
      from subscriptions s cross join lateral jsonb_array_elements(s.unpaid) u
    )
    select u.subscription_id as id
    from unpaid u left join invoices i on i.id = u.invoice_id
    where (i.subscription_id, i.period_index) is distinct from (u.subscription_id, u.period_index)
      or case
        when u.is_void then i.state <> 'void'
        when i.state = 'paid' then not exists (
          select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
          where t.identifier = 'renew-subscription' and j.payload->>'invoiceId' = i.id::text)
        -- A draft of a visitor of a plan's page can be paid.
        else i.state not in ('open', 'uncollectible') and (i.state <> 'draft' or i.payment_link_id is null) end
    union all
    select s.id
    from invoices i join subscriptions s on s.id = i.subscription_id
    where i.state in ('draft', 'open', 'uncollectible') and s.ended_at is null
      and not exists (select from unpaid u where u.invoice_id = i.id and not u.is_void)
    union all
    select id from subscriptions where ended_at is not null and unpaid <> '[]'`,
}

/** A period begins, or is owed, by one transition at its boundary, and periods follow each other. */
export const periodBoundaries: PartCheck = {
  invariant: 'I9',
  what: 'a subscription with two transitions at the beginning of a period, or with a period before the one that it was in',
  breaches: (sql, part) => sql`
    select actor as id from (
      select actor, begins, lag(begins) over (partition by actor order by rev) as before from (
        select actor, rev, coalesce(json_of(context)->>'owedIndex', json_of(context)->>'periodIndex')::integer as begins
        from transitions
        where ${isIn(sql, part, sql`actor`)} and kind = 'subscription' and event like 'after.boundary.%' and to_state in ('active', 'past_due')) boundaries) periods
    where begins <= before
    union all
    select actor from (
      select actor, (json_of(context)->>'periodIndex')::integer as index,
        lag((json_of(context)->>'periodIndex')::integer) over (partition by actor order by rev) as before
      from transitions where ${isIn(sql, part, sql`actor`)} and kind = 'subscription') periods
    where index < before`,
}

/**
 * An e-mail address proves nothing, so what a visitor of the page of a plan has begun uses no credit of the customer but what its
 * own payments gave. From the time at which the merchant has confirmed who the customer is, it may.
 */
export const visitorsCredit: Check = {
  invariant: 'I4',
  what: 'a subscription of the page of a plan that has used more credit than its own invoices gave',
  breaches: sql => sql`
    select distinct id from (
      select s.id, sum(e.amount_minor) over (partition by s.id, e.currency order by e.seq) as own_minor
      from subscriptions s
      join invoices i on i.subscription_id = s.id
      join credit_entries e on e.invoice_id = i.id
      where s.source = 'checkout' and not s.verified and e.type <> 'refunded') entries
    where own_minor < 0
      and not exists (select from events v where v.actor = entries.id and json_of(v.object)->>'verified' = 'true')`,
}

/**
 * What waits for money that was sent in time is late for a reason, and so is what comes after it. Timers of test clocks are
 * compared with their clocks by another rule.
 */
export const plannedTimers: Check = {
  invariant: 'I7',
  what: 'a planned timer overdue by more than a minute, without money that it waits for',
  breaches: sql => sql`
    select t.actor as id from timers t
    where t.planned and t.kind = 'subscription' and t.test_clock_id is null and t.due_at < now() - interval '60 s'
      and not exists (
        select from invoices i
        where i.subscription_id = t.actor and i.state in ('draft', 'open', 'uncollectible')
          and (i.amount_processing_minor > 0 or not ${isSettled(sql)}
            or exists (select from (${readUpTo(sql)}) c where c.mined_at <= t.due_at)))`,
}
