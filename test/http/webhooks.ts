import { testEndpoint } from '../../src/commands/deliveries.ts'
import { createWebhookEndpoint } from '../../src/commands/webhook-endpoints.ts'
import type { Dependencies } from '../../src/dependencies.ts'
import type { Api } from '../../src/http/api.ts'
import { deliveryRoutes } from '../../src/http/deliveries.ts'
import { eventRoutes } from '../../src/http/events.ts'
import { webhookEndpointRoutes } from '../../src/http/webhook-endpoints.ts'
import type { WebhookEndpointRow } from '../../src/queries/webhook-endpoints.ts'
import { type ApiServer, apiServer, type Called } from '../harness/api.ts'
import { happen, openPayment } from './payments.ts'
import type { Person, Shop } from './people.ts'

export const startServer = (outside: Partial<Dependencies> = {}) =>
  apiServer({ routes: [...webhookEndpointRoutes, ...deliveryRoutes, ...eventRoutes], outside })

/** These tests send nothing and resolve no names. */
export const url = 'https://192.0.9.1/webhooks'

const by = ({ owner }: Shop) => ({ accountId: owner.accountId, actor: owner.id, address: '127.0.0.1' })

export const makeEndpoint = (
  api: Api,
  shop: Shop,
  { livemode = false, eventTypes = ['payment.succeeded'] }: { livemode?: boolean; eventTypes?: readonly string[] } = {},
) => createWebhookEndpoint(api, { merchantId: shop.merchantId, livemode, url, description: null, eventTypes }, by(shop))

/** Returns the id of the delivery. */
export const sendTest = async (api: Api, shop: Shop, { id }: Pick<WebhookEndpointRow, 'id'>): Promise<string> => {
  const { delivery } = await testEndpoint(api, { id, merchantId: shop.merchantId, rendered: {} }, by(shop))
  return delivery.id
}

/** Two events of a merchant: `payment.created` and `payment.canceled`. */
export const publishPaymentEvents = async (api: Api, { merchantId }: Pick<Shop, 'merchantId'>, livemode = false) => {
  const { actor } = await openPayment(api, { merchantId, livemode })
  await happen(api, actor, { type: 'cancel' })
}

export type Endpoint = {
  readonly id: string
  readonly url: string
  readonly description: string | null
  readonly eventTypes: readonly string[]
  readonly status: string
  readonly disabledReason: string | null
  readonly livemode: boolean
  readonly signingSecret?: string
  readonly createdAt: string
  readonly updatedAt: string
}

export type Delivery = {
  readonly id: string
  readonly eventId: string
  readonly eventType: string
  readonly endpointId: string
  readonly status: string
  readonly nextAttemptAt: string | null
  readonly attempts: readonly unknown[]
  readonly livemode: boolean
}

export const call = async <Body = Endpoint>(
  server: ApiServer,
  { path, owner }: Shop,
  method: string,
  below: string,
  { json = method === 'GET' || method === 'DELETE' ? undefined : {}, as = owner }: { json?: unknown; as?: Person } = {},
): Promise<Called & { readonly record: Body }> => {
  const answer = await server.call(method, `${path}/${below}`, { bearer: as.bearer, json })
  return { ...answer, record: answer.json as Body }
}

export type Listed<Item> = { readonly object: string; readonly data: readonly Item[]; readonly has_more: boolean }

/** The error code and the parameter. */
export const errorOf = ({ json }: Called) => (json as { error?: { code: string; param?: string } }).error
