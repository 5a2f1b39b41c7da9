import { type } from 'arktype'
import { testEndpoint } from '../commands/deliveries.ts'
import {
  changeWebhookEndpoint,
  createInbox,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
} from '../commands/webhook-endpoints.ts'
import { refuse } from '../errors.ts'
import { listInboxRequests } from '../queries/inbox-requests.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { findWebhookEndpoint, listWebhookEndpoints } from '../queries/webhook-endpoints.ts'
import { deliveryRecord } from '../records/delivery.ts'
import { inboxRequestRecord } from '../records/inbox-request.ts'
import { newWebhookEndpointRecord, webhookEndpointRecord } from '../records/webhook-endpoint.ts'
import { eventTypes as types } from '../resources.ts'
import { accountActorOf } from './account-actor.ts'
import type { Api } from './api.ts'
import {
  createWebhookEndpointDocs,
  deleteWebhookEndpointDocs,
  enableWebhookEndpointDocs,
  getWebhookEndpointDocs,
  listInboxRequestsDocs,
  listWebhookEndpointsDocs,
  rotateWebhookSecretDocs,
  testWebhookEndpointDocs,
  updateWebhookEndpointDocs,
} from './docs/webhooks.ts'
import { listOf, listQuery, livemodeQuery, placedPage } from './list.ts'
import { recordKey } from './record-id.ts'
import { forMembers, type MemberCaller, type Route } from './route.ts'
import { shownText } from './text.ts'

const path = '/v1/merchants/:merchantId/webhook-endpoints'

const description = () => shownText(1, 1000).or('null')
// Exact names without repetition. There is no wildcard.
const eventTypes = () =>
  type
    .enumerated(...types)
    .array()
    .atLeastLength(1)
    .narrow(names => new Set(names).size === names.length)

const newEndpoint = () =>
  type({
    'url?': 'string',
    'inbox?': 'boolean',
    eventTypes: eventTypes(),
    'description?': description(),
    'livemode?': 'boolean',
  })

const changes = () =>
  type({
    'url?': 'string',
    'eventTypes?': eventTypes(),
    'description?': description(),
    'status?': "'enabled' | 'disabled'",
  })

const rotation = () => type({ 'overlapHours?': '0 <= number.integer <= 168' })

/** Responses with a secret require a step-up. */
const secretly = { role: 'developer', stepUp: true } as const

export const webhookEndpointRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path,
      docs: listWebhookEndpointsDocs,
      query: () => listQuery().merge(livemodeQuery()),
      handle: async ({ sql }, { member: { merchantId }, query }) => {
        const owner = { merchantId, livemode: query.livemode }
        const page = await placedPage(sql, 'webhook_endpoint', owner, query)
        const rows = await listWebhookEndpoints(sql, owner, page)
        return { status: 200, body: listOf(rows, query.limit, webhookEndpointRecord.render) }
      },
    },
  ),

  forMembers('POST', secretly, {
    path,
    docs: createWebhookEndpointDocs,
    query: livemodeQuery,
    body: newEndpoint,
    handle: async (api, call) => {
      const { merchantId } = call.member
      const { url, inbox = false, eventTypes, description = null, livemode = call.query.livemode } = call.body
      const spec = { merchantId, eventTypes, description }
      if (inbox) requireTestWithoutUrl(livemode, url)
      const { row, secret } = inbox
        ? await createInbox(api, spec, accountActorOf(call))
        : await createWebhookEndpoint(
            api,
            { ...spec, livemode, url: url ?? refuse('parameter_missing', { param: 'url' }) },
            accountActorOf(call),
          )
      return { status: 201, body: newWebhookEndpointRecord.render(row, { secret }) }
    },
  }),

  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: `${path}/:id`,
      docs: getWebhookEndpointDocs,
      handle: async (api, call) => ({ status: 200, body: webhookEndpointRecord.render(await getEndpoint(api, call)) }),
    },
  ),

  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: `${path}/:id/inbox`,
      docs: listInboxRequestsDocs,
      handle: async (api, call) => {
        const { id, is_inbox: isInbox } = await getEndpoint(api, call)
        if (!isInbox) refuse('resource_not_found')
        const rows = await listInboxRequests(api.sql, id)
        return { status: 200, body: listOf(rows, rows.length, inboxRequestRecord.render) }
      },
    },
  ),

  forMembers(
    'PATCH',
    { role: 'developer' },
    {
      path: `${path}/:id`,
      docs: updateWebhookEndpointDocs,
      body: changes,
      handle: async (api, call) => {
        const row = await changeWebhookEndpoint(api, endpointName(call), call.body, accountActorOf(call))
        return { status: 200, body: webhookEndpointRecord.render(row) }
      },
    },
  ),

  forMembers(
    'DELETE',
    { role: 'developer' },
    {
      path: `${path}/:id`,
      docs: deleteWebhookEndpointDocs,
      handle: async (api, call) => {
        await deleteWebhookEndpoint(api, endpointName(call), accountActorOf(call))
        return { status: 204 }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: `${path}/:id/enable`,
      docs: enableWebhookEndpointDocs,
      handle: async (api, call) => {
        const row = await changeWebhookEndpoint(api, endpointName(call), { status: 'enabled' }, accountActorOf(call))
        return { status: 200, body: webhookEndpointRecord.render(row) }
      },
    },
  ),

  forMembers('POST', secretly, {
    path: `${path}/:id/rotate-secret`,
    docs: rotateWebhookSecretDocs,
    body: rotation,
    handle: async (api, call) => {
      const { overlapHours = 24 } = call.body
      const { row, secret } = await rotateWebhookSecret(
        api,
        { ...endpointName(call), overlapHours },
        accountActorOf(call),
      )
      return { status: 200, body: newWebhookEndpointRecord.render(row, { secret }) }
    },
  }),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: `${path}/:id/test`,
      docs: testWebhookEndpointDocs,
      handle: async (api, call) => {
        const rendered = webhookEndpointRecord.render(await getEndpoint(api, call))
        const { delivery, attempts } = await testEndpoint(
          api,
          { ...endpointName(call), rendered },
          accountActorOf(call),
        )
        return { status: 201, body: deliveryRecord.render(delivery, attempts) }
      },
    },
  ),
]

const requireTestWithoutUrl = (livemode: boolean, url: string | undefined): void => {
  if (livemode) refuse('sandbox_only')
  if (url !== undefined)
    refuse('parameter_invalid', { param: 'url', message: 'An inbox has a URL of this server: send no url.' })
}

type ItemCall = { readonly params: { readonly id: string }; readonly member: MemberCaller }

/** A member can find an endpoint by its ID in either mode. */
export const endpointName = ({ params, member }: ItemCall): RecordKey =>
  recordKey('whe', { params, owner: { merchantId: member.merchantId, livemode: undefined } })

export const getEndpoint = async ({ sql }: Api, call: ItemCall) =>
  (await findWebhookEndpoint(sql, endpointName(call))) ?? refuse('resource_not_found')
