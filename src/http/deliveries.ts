import { type } from 'arktype'
import { askForRecovery, redeliver } from '../commands/deliveries.ts'
import { refuse } from '../errors.ts'
import { decodeId, encodeId } from '../ids.ts'
import { type AttemptedDelivery, findDelivery, findDeliverySeq, listDeliveries } from '../queries/deliveries.ts'
import { deliveryRecord, deliveryStatus } from '../records/delivery.ts'
import { eventTypes, testEventType } from '../resources.ts'
import { accountActorOf } from './account-actor.ts'
import { causeOfMember } from './causes.ts'
import {
  getWebhookDeliveryDocs,
  listAllWebhookDeliveriesDocs,
  listWebhookDeliveriesDocs,
  recoverWebhookDeliveriesDocs,
  redeliverWebhookDeliveryDocs,
} from './docs/webhooks.ts'
import { listOf, listQuery, livemodeQuery, pageOf } from './list.ts'
import { moment } from './moment.ts'
import { recordId, recordKey, uuidIn } from './record-id.ts'
import { forMembers, type MemberCaller, type Route } from './route.ts'
import { getEndpoint } from './webhook-endpoints.ts'

const path = '/v1/merchants/:merchantId/deliveries/:id'
const endpointPath = '/v1/merchants/:merchantId/webhook-endpoints/:id'

const filters = () => type({ 'status?': deliveryStatus() })

const allFilters = () =>
  filters().merge({
    'eventType?': type.enumerated(...eventTypes, testEventType),
    'eventId?': eventId(),
    'endpointId?': recordId('whe'),
  })

const eventId = () => type('string').pipe((text, ctx) => uuidIn(text) ?? ctx.error('the id of an event'))

const FURTHEST_BACK_MS = 30 * 86_400_000

export const deliveryRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: '/v1/merchants/:merchantId/deliveries',
      docs: listAllWebhookDeliveriesDocs,
      query: () => listQuery().merge(livemodeQuery()).merge(allFilters()),
      handle: async ({ sql }, { member: { merchantId }, query }) => {
        const { livemode, limit, status, eventType, eventId, endpointId } = query
        const owner = { merchantId, livemode }
        const page = await pageOf(query, idOf, id => findDeliverySeq(sql, owner, endpointId, id))
        const rows = await listDeliveries(sql, owner, { status, eventType, eventId, endpointId }, page)
        return { status: 200, body: listOf(rows, limit, recordOf) }
      },
    },
  ),

  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: `${endpointPath}/deliveries`,
      docs: listWebhookDeliveriesDocs,
      query: () => listQuery().merge(filters()),
      handle: async (api, call) => {
        const { status, limit } = call.query
        const { id: endpointId, merchant_id: merchantId, livemode } = await getEndpoint(api, call)
        const owner = { merchantId, livemode }
        const page = await pageOf(call.query, idOf, id => findDeliverySeq(api.sql, owner, endpointId, id))
        const rows = await listDeliveries(api.sql, owner, { endpointId, status }, page)
        return { status: 200, body: listOf(rows, limit, recordOf) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: `${endpointPath}/recover`,
      docs: recoverWebhookDeliveriesDocs,
      body: () => type({ since: moment() }),
      handle: async (api, call) => {
        const { id, merchant_id: merchantId } = await getEndpoint(api, call)
        const since = new Date(call.body.since)
        if (api.clock.now().getTime() - since.getTime() > FURTHEST_BACK_MS)
          refuse('parameter_invalid', { param: 'since', message: 'since must not be more than 30 days ago.' })
        const endpointId = encodeId('whe', id)
        const details = { endpointId, since: since.toISOString() }
        const deliveries = await askForRecovery(api, { id, merchantId, since }, { by: accountActorOf(call), details })
        return { status: 200, body: { object: 'webhook_recovery', ...details, deliveries } }
      },
    },
  ),

  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path,
      docs: getWebhookDeliveryDocs,
      handle: async ({ sql }, call) => {
        const found = await findDelivery(sql, nameOf(call))
        return { status: 200, body: recordOf(found ?? refuse('resource_not_found')) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: `${path}/redeliver`,
      docs: redeliverWebhookDeliveryDocs,
      handle: async (api, call) => {
        return { status: 200, body: recordOf(await redeliver(api, nameOf(call), causeOfMember(call))) }
      },
    },
  ),
]

type ItemCall = { readonly params: { readonly id: string }; readonly member: MemberCaller }

const nameOf = ({ params, member }: ItemCall) =>
  recordKey('whd', { params, owner: { merchantId: member.merchantId, livemode: undefined } })

const idOf = (id: string) => decodeId('whd', id)

const recordOf = ({ delivery, attempts }: AttemptedDelivery) => deliveryRecord.render(delivery, attempts)
