import type { Sql } from '../postgres/connect.ts'
import type { EventType } from '../resources.ts'
import { type Fragment, type ListOwner, listRows } from './list-rows.ts'
import type { Page } from './page.ts'
import { finderOf, type RecordKey } from './record-finder.ts'
import type { AccountActor } from './security-events.ts'

export type WebhookEndpointRow = {
  readonly id: string
  readonly merchant_id: string
  readonly livemode: boolean
  readonly url: string
  readonly description: string | null
  readonly event_types: readonly EventType[]
  readonly state: 'enabled' | 'disabled'
  readonly disabled_reason: 'by_merchant' | 'no_success' | 'gone' | null
  readonly is_inbox: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

/** Without the secrets, which are not needed to show endpoints. */
const columns = (sql: Sql) => sql`
  id, merchant_id, livemode, url, description, event_types, state, disabled_reason, inbox_token is not null as is_inbox,
  created_at, updated_at`

const findRow = finderOf<WebhookEndpointRow | { readonly state: 'deleted' }>('webhook_endpoints', columns)

/** A deleted endpoint is not found. Its row is kept for its deliveries. */
export const findWebhookEndpoint = async (sql: Sql, key: RecordKey): Promise<WebhookEndpointRow | undefined> => {
  const row = await findRow(sql, key)
  return row?.state === 'deleted' ? undefined : row
}

export const listWebhookEndpoints = (sql: Sql, owner: ListOwner, page: Page): Promise<WebhookEndpointRow[]> => {
  const filters: Fragment = sql`and state <> 'deleted'`
  return listRows<WebhookEndpointRow>(sql, {
    table: 'webhook_endpoints',
    owner,
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
  /** Of an inbox. */
  readonly inboxToken?: string
}

/** `max`: how many endpoints a merchant may have in a mode. */
export const insertWebhookEndpoint = async (
  sql: Sql,
  { id, merchantId, livemode, url, description, eventTypes, sealedSecret, inboxToken }: NewWebhookEndpoint,
  max: number,
  by: AccountActor,
  details: object,
) => {
  const [answer] = await sql<{ outcome: 'created' | 'not_allowed' | 'missing' | 'too_many' | 'has_inbox' }[]>`
    select create_webhook_endpoint(
      ${id}, ${merchantId}, ${livemode}, ${url}, ${description}, ${eventTypes}::text[], ${sealedSecret}, ${max},
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json,
      ${inboxToken ?? null}) as outcome`
  return answer?.outcome
}

export type EndpointName = Pick<RecordKey, 'id' | 'merchantId'>

/** Fields that are not given stay as they are. */
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
  by: AccountActor,
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
  by: AccountActor,
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
  by: AccountActor,
  details: object,
) => {
  const [answer] = await sql<{ outcome: 'rotated' | 'not_allowed' | 'missing' | 'overlapping' }[]>`
    select rotate_webhook_secret(
      ${id}, ${merchantId}, ${overlapHours} * interval '1 hour', ${sealedSecret},
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json) as outcome`
  return answer?.outcome
}

/** Creates a test event for one endpoint, with the `rendered` endpoint as its object. */
export const testWebhookEndpoint = async (
  sql: Sql,
  { id, merchantId, eventId, rendered }: EndpointName & { eventId: string; rendered: object },
  { accountId }: AccountActor,
) => {
  const [answer] = await sql<{ outcome: 'sent' | 'not_allowed' | 'missing' | 'disabled' }[]>`
    select test_webhook_endpoint(
      ${id}, ${merchantId}, ${eventId}, ${JSON.stringify(rendered)}::text, ${accountId}) as outcome`
  return answer?.outcome
}

export type WebhookRecovery = { readonly recoveryId: string; readonly since: Date }

export const recoverWebhookEndpoint = async (
  sql: Sql,
  { id, merchantId, recoveryId, since }: EndpointName & WebhookRecovery,
  by: AccountActor,
  details: object,
) => {
  const [answer] = await sql<{ outcome: 'asked' | 'not_allowed' | 'missing' | 'disabled'; found: number }[]>`
    select * from recover_webhook_endpoint(
      ${id}, ${merchantId}, ${recoveryId}, ${since},
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json)`
  return answer
}
