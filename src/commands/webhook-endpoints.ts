import type { Services } from '../actors/services.ts'
import type { Dependencies } from '../dependencies.ts'
import { refuse } from '../errors.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import type { Keyring } from '../keyring.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import type { AccountActor } from '../queries/security-events.ts'
import type { EndpointName, WebhookEndpointChanges, WebhookEndpointRow } from '../queries/webhook-endpoints.ts'
import * as endpoints from '../queries/webhook-endpoints.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../sealed-columns.ts'
import { makeSecret } from '../webhooks/signature.ts'
import { type Rules, urlProblems } from '../webhooks/target.ts'
import { checkUrlAndAddresses } from '../webhooks/url.ts'
import { cancelOpenDeliveries } from './deliveries.ts'

/** Maximum for a merchant in one mode. Each event gets a delivery for every endpoint that lists its type. */
export const MOST_ENDPOINTS = 50

type Given = Services & {
  readonly settings: { readonly webhooks: Rules; readonly publicUrl: string }
  readonly keyring: Keyring
}
type WithSecret = { readonly row: WebhookEndpointRow; readonly secret: string }

export type WebhookEndpointSpec = Pick<WebhookEndpointRow, 'livemode' | 'url' | 'description'> & {
  readonly merchantId: string
  readonly eventTypes: readonly string[]
}

export const createWebhookEndpoint = async (
  services: Given,
  spec: WebhookEndpointSpec,
  by: AccountActor,
): Promise<WithSecret> => {
  await requireCallable(spec.url, spec.livemode, services.settings.webhooks)
  return insertEndpoint(services, spec, by)
}

/** An endpoint in test mode whose requests this server keeps, for members to look at. */
export const createInbox = (
  services: Given,
  spec: Pick<WebhookEndpointSpec, 'merchantId' | 'description' | 'eventTypes'>,
  by: AccountActor,
): Promise<WithSecret> => {
  const inboxToken = Buffer.from(services.random(new Uint8Array(32))).toString('base64url')
  const url = `${services.settings.publicUrl}/sandbox/inbox/${inboxToken}`
  return insertEndpoint(services, { ...spec, livemode: false, url, inboxToken }, by)
}

const insertEndpoint = async (
  { sql, clock, random, keyring }: Given,
  spec: WebhookEndpointSpec & { readonly inboxToken?: string },
  by: AccountActor,
): Promise<WithSecret> => {
  const id = uuidv7(clock.now(), random)
  const secret = makeSecret(random)
  const sealedSecret = keyring.seal(WEBHOOK_SECRET_PURPOSE, id, secret)
  const { livemode, eventTypes, inboxToken } = spec
  const details = {
    ...{ endpointId: encodeId('whe', id), livemode, eventTypes },
    ...(inboxToken !== undefined && { inbox: true }),
  }
  const outcome = await endpoints.insertWebhookEndpoint(sql, { id, sealedSecret, ...spec }, MOST_ENDPOINTS, by, details)
  if (outcome === 'not_allowed') refuse('insufficient_role')
  if (outcome === 'too_many')
    refuse('state_conflict', {
      message: `The merchant already has ${MOST_ENDPOINTS} webhook endpoints in this mode, which is the maximum.`,
    })
  if (outcome === 'has_inbox')
    refuse('state_conflict', { message: 'The merchant already has an inbox. Delete it to create another one.' })
  return { row: await getRow(sql, { id, merchantId: spec.merchantId }), secret }
}

/** Disabling cancels open deliveries, and enabling waits until that is done: none of them is sent afterwards. */
export const changeWebhookEndpoint = async (
  services: Given,
  name: EndpointName,
  changes: WebhookEndpointChanges,
  by: AccountActor,
): Promise<WebhookEndpointRow> => {
  const { sql, settings } = services
  const { livemode, state, is_inbox: isInbox } = await getRow(sql, name)
  if (isInbox && changes.url !== undefined)
    refuse('parameter_invalid', { param: 'url', message: 'The URL of an inbox cannot be changed.' })
  if (changes.url !== undefined) await requireCallable(changes.url, livemode, settings.webhooks)
  if (state === 'disabled' && changes.status === 'enabled') await cancelAtOnce(services, name, by)
  const outcome = await endpoints.updateWebhookEndpoint(sql, name, changes, by, detailsOf(name))
  if (outcome === 'not_allowed') refuse('insufficient_role')
  if (outcome === 'missing') refuse('resource_not_found')
  if (outcome === 'canceling')
    refuse('state_conflict', {
      message: 'Open deliveries of the endpoint are still being canceled. Try again in a moment.',
    })
  if (changes.status === 'disabled') await cancelAtOnce(services, name, by)
  return getRow(sql, name)
}

/** Deletes the endpoint permanently. Its deliveries can still be read. */
export const deleteWebhookEndpoint = async (services: Given, name: EndpointName, by: AccountActor): Promise<void> => {
  const outcome = await endpoints.setWebhookEndpointDeleted(services.sql, name, by, detailsOf(name))
  if (outcome === 'not_allowed') refuse('insufficient_role')
  if (outcome === 'missing') refuse('resource_not_found')
  await cancelAtOnce(services, name, by)
}

/** Creates a new secret for the endpoint. Requests are also signed with the old one until the overlap ends. */
export const rotateWebhookSecret = async (
  { sql, random, keyring }: Given,
  { overlapHours, ...name }: EndpointName & { readonly overlapHours: number },
  by: AccountActor,
): Promise<WithSecret> => {
  const secret = makeSecret(random)
  const sealedSecret = keyring.seal(WEBHOOK_SECRET_PURPOSE, name.id, secret)
  const details = { ...detailsOf(name), overlapHours }
  const outcome = await endpoints.setWebhookSecret(sql, { ...name, overlapHours, sealedSecret }, by, details)
  if (outcome === 'not_allowed') refuse('insufficient_role')
  if (outcome === 'missing') refuse('resource_not_found')
  if (outcome === 'overlapping')
    refuse('state_conflict', {
      message: 'The previous signing secret is still in use. Wait until it ends, or rotate with overlapHours 0.',
    })
  return { row: await getRow(sql, name), secret }
}

const getRow = async (sql: Dependencies['sql'], { id, merchantId }: EndpointName): Promise<WebhookEndpointRow> => {
  const name: RecordKey = { id, merchantId, livemode: undefined }
  return (await endpoints.findWebhookEndpoint(sql, name)) ?? refuse('resource_not_found')
}

const detailsOf = ({ id }: EndpointName) => ({ endpointId: encodeId('whe', id) })

const requireCallable = async (url: string, livemode: boolean, rules: Rules): Promise<void> => {
  const judged = await checkUrlAndAddresses(url, livemode, rules)
  if (judged !== 'ok') refuse('parameter_invalid', { param: 'url', message: urlProblems[judged] })
}

/** Cancels as many as a request can wait for. A task that was added in the same commit cancels the rest. */
const cancelAtOnce = (services: Services, { id }: EndpointName, { actor }: AccountActor): Promise<boolean> =>
  cancelOpenDeliveries(services, id, { cause: actor, most: 1_000 })
