import type { Invoice } from '../../machines/invoice-events.ts'
import type { Subscription } from '../../machines/subscription-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Terms } from './checkouts.ts'
import { readInvoice } from './invoices.ts'
import { readSubscription } from './subscriptions.ts'

/** A subscription for visitors of its page. */
export type VisitedSubscription = {
  readonly subscription: Actor<Subscription>
  readonly terms: Terms
  readonly planName: string | null
  /** Newest first. */
  readonly invoices: readonly Actor<Invoice>[]
}

type VisitedRow = ActorRow & { readonly terms: Terms; readonly plan_name: string | null }

/** The page shows so many invoices. */
const MOST_INVOICES = 24

/** By the hash of the token. */
export const findVisitedSubscription = async (
  sql: Sql,
  tokenHash: string,
): Promise<VisitedSubscription | undefined> => {
  const [row] = await sql<VisitedRow[]>`
    select r.*, to_jsonb(s) || jsonb_build_object('api_version', m.api_version) as terms,
      (select name from plans p where p.id = r.plan_id) as plan_name
    from subscriptions r
    join settings s on s.merchant_id = r.merchant_id and s.livemode = r.livemode
    join merchants m on m.id = r.merchant_id
    where r.token_hash = ${tokenHash}`
  if (!row) return undefined
  const invoices = await sql<ActorRow[]>`
    select * from invoices where subscription_id = ${row.id} and state <> 'deleted' order by seq desc limit ${MOST_INVOICES}`
  const { terms, plan_name: planName } = row
  return { subscription: readSubscription(row), terms, planName, invoices: invoices.map(readInvoice) }
}
