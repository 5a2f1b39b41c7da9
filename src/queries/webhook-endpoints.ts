import type { Sql } from '../postgres/connect.ts'
import { finderOf, type RecordName } from './named.ts'
import type { Page } from './page.ts'
import { type Fragment, listPlaced, type Whose } from './places.ts'
import type { Doer } from './security-events.ts'

export type WebhookEndpointRow = {
  readonly id: string
  readonly merchant_id: string
  readonly livemode: boolean
  readonly url: string
  readonly description: string | null
  readonly event_types: readonly string[]
  readonly state: 'enabled' | 'disabled'
  readonly disabled_reason: 'by_merchant' | 'no_success' | 'gone' | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** Not the secrets: nobody who looks at endpoints has a use for them. */
const columns = (sql: Sql) => sql`
  id, merchant_id, livemode, url, description, event_types, state, disabled_reason, created_at, updated_at`

const findRow = finderOf<WebhookEndpointRow | { readonly state: 'deleted' }>('webhook_endpoints', columns)

/** One that was deleted is not there; only its deliveries know it still. */
export const findWebhookEndpoint = async (sql: Sql, name: RecordName): Promise<WebhookEndpointRow | undefined> => {
  const row = await findRow(sql, name)
  return row?.state === 'deleted' ? undefined : row
}

export const listWebhookEndpoints = (sql: Sql, whose: Whose, page: Page): Promise<WebhookEndpointRow[]> => {
  const filters: Fragment = sql`and state <> 'deleted'`
  return listPlaced<WebhookEndpointRow>(sql, {
    table: 'webhook_endpoints',
    whose,
    page,
    columns: columns(sql),
    filters,
  })
}

export type NewWebhookEndpoint = {
  readonly id: string
  readonly merchantId: string
  readonly livemode: boolean
  readonly url: string
  readonly description: string | null
  readonly eventTypes: readonly string[]
  readonly sealedSecret: string
}

/** `most`: how many a merchant may have in a mode. */
export const insertWebhookEndpoint = async (
  sql: Sql,
  { id, merchantId, livemode, url, description, eventTypes, sealedSecret }: NewWebhookEndpoint,
  most: number,
  by: Doer,
  details: object,
) => {
  const [answer] = await sql<{ outcome: 'created' | 'not_allowed' | 'missing' | 'too_many' }[]>`
    select create_webhook_endpoint(
      ${id}, ${merchantId}, ${livemode}, ${url}, ${description}, ${eventTypes}::text[], ${sealedSecret}, ${most},
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json) as outcome`
  return answer?.outcome
}

export type EndpointName = Pick<RecordName, 'id' | 'merchantId'>

/** What is not named stays as it is. */
export type WebhookEndpointChanges = {
  readonly url?: string
  readonly description?: string | null
  readonly eventTypes?: readonly string[]
  readonly status?: 'enabled' | 'disabled'
}

export const updateWebhookEndpoint = async (
  sql: Sql,
  { id, merchantId }: EndpointName,
  changes: WebhookEndpointChanges,
  by: Doer,
  details: object,
) => {
  const [answer] = await sql<{ outcome: 'changed' | 'not_allowed' | 'missing' | 'canceling' }[]>`
    select change_webhook_endpoint(
      ${id}, ${merchantId}, ${JSON.stringify(changes)}::text::jsonb,
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::jsonb) as outcome`
  return answer?.outcome
}

export const setWebhookEndpointDeleted = async (
  sql: Sql,
  { id, merchantId }: EndpointName,
  by: Doer,
  details: object,
) => {
  const [answer] = await sql<{ outcome: 'deleted' | 'not_allowed' | 'missing' }[]>`
    select delete_webhook_endpoint(
      ${id}, ${merchantId}, ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json) as outcome`
  return answer?.outcome
}

export const setWebhookSecret = async (
  sql: Sql,
  { id, merchantId, overlapHours, sealedSecret }: EndpointName & { overlapHours: number; sealedSecret: string },
  by: Doer,
  details: object,
) => {
  const [answer] = await sql<{ outcome: 'rotated' | 'not_allowed' | 'missing' | 'overlapping' }[]>`
    select rotate_webhook_secret(
      ${id}, ${merchantId}, ${overlapHours} * interval '1 hour', ${sealedSecret},
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json) as outcome`
  return answer?.outcome
}

/** An event of its own for one endpoint, about the endpoint as it was `rendered`. */
export const testWebhookEndpoint = async (
  sql: Sql,
  { id, merchantId, eventId, rendered }: EndpointName & { eventId: string; rendered: object },
  { accountId }: Doer,
) => {
  const [answer] = await sql<{ outcome: 'sent' | 'not_allowed' | 'missing' | 'disabled' }[]>`
    select test_webhook_endpoint(
      ${id}, ${merchantId}, ${eventId}, ${JSON.stringify(rendered)}::text::json, ${accountId}) as outcome`
  return answer?.outcome
}

export type WebhookRecovery = { readonly recoveryId: string; readonly since: Date }

export const recoverWebhookEndpoint = async (
  sql: Sql,
  { id, merchantId, recoveryId, since }: EndpointName & WebhookRecovery,
  by: Doer,
  details: object,
) => {
  const [answer] = await sql<{ outcome: 'asked' | 'not_allowed' | 'missing' | 'disabled'; found: number }[]>`
    select * from recover_webhook_endpoint(
      ${id}, ${merchantId}, ${recoveryId}, ${since},
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json)`
  return answer
}
