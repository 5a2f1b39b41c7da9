import type { Kind } from '../actors/kind.ts'
import { type Check, isIn, type PartCheck } from './rules/check.ts'

/** Invariants of single kinds; checked only if these kinds are registered. */
export const auditPayments = (kinds: readonly Kind[]): Check[] =>
  perKind.filter(({ of }) => of.every(name => kinds.some(kind => kind.name === name)))

export const paymentHistory: readonly PartCheck[] = [
  {
    invariant: 'I2',
    what: 'a payment that has left success',
    breaches: (sql, part) => sql`
      select actor as id from transitions
      where ${isIn(sql, part, sql`actor`)} and kind = 'payment' and from_state = 'success' and to_state <> 'success'`,
  },
]

const perKind: (Check & { of: readonly string[] })[] = [
  ...paymentHistory.map(check => ({ ...check, of: ['payment'] })),
  {
    of: ['payment', 'refund'],
    invariant: 'I4',
    what: 'a payment whose refund sums differ from its refunds',
    breaches: sql => sql`
      select p.id
      from payments p
      left join (
        select payment_id,
          sum(amount_minor) filter (where state not in ('failed', 'canceled')) as reserved,
          sum(amount_minor) filter (where state = 'processed') as processed
        from refunds
        group by payment_id
      ) r on r.payment_id = p.id
      where p.refunds_reserved_minor <> coalesce(r.reserved, 0) or p.amount_refunded_minor <> coalesce(r.processed, 0)`,
  },
  {
    of: ['payment', 'payment_link'],
    invariant: 'I4',
    what: 'a payment link whose counts differ from its payments',
    breaches: sql => sql`
      select l.id
      from payment_links l
      left join (
        select payment_link_id,
          count(*) as opened,
          count(*) filter (where state = 'processing') as processing,
          count(*) filter (where state = 'success') as succeeded
        from payments
        group by payment_link_id
      ) p on p.payment_link_id = l.id
      where l.payments_opened <> coalesce(p.opened, 0) or l.payments_processing <> coalesce(p.processing, 0)
        or l.payments_count <> coalesce(p.succeeded, 0)`,
  },
  {
    of: ['delivery'],
    invariant: 'I6',
    what: 'a delivery with more than five automatic attempts',
    breaches: sql => sql`select id from deliveries where automatic_attempts > 5`,
  },
]
