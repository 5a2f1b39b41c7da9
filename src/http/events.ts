import { type } from 'arktype'
import type { KeyCaller } from '../access/key-cache.ts'
import { refuse } from '../errors.ts'
import { findEvent, listEvents } from '../queries/events.ts'
import { eventRecord } from '../records/event.ts'
import { eventTypes, hiddenFrom, testEventType } from '../resources.ts'
import { getEventDocs, listEventsDocs } from './docs/events.ts'
import { listOf, listQuery, placedPage } from './list.ts'
import { anyRecordId, uuidIn } from './record-id.ts'
import type { Route } from './route.ts'
import { onCollection, onItem } from './surfaces.ts'

const filters = () => type({ 'type?': type.enumerated(...eventTypes, testEventType), 'objectId?': anyRecordId() })

export const eventRoutes: readonly Route[] = [
  ...onCollection(
    'GET',
    { scope: 'payments:read' },
    {
      path: '/events',
      docs: listEventsDocs,
      query: () => listQuery().merge(filters()),
      handle: async (api, { owner, query, key }) => {
        // Events that the key cannot read are valid cursors.
        const page = await placedPage(api.sql, 'event', owner, query)
        const filter = { type: query.type, objectId: query.objectId, hiddenKinds: hiddenKindsOf(key) }
        const events = await listEvents(api.sql, owner, filter, page)
        return { status: 200, body: listOf(events, query.limit, eventRecord.render) }
      },
    },
  ),

  ...onItem(
    'GET',
    { scope: 'payments:read' },
    {
      path: '/events/:id',
      docs: getEventDocs,
      handle: async (api, { owner, params, key }) => {
        const id = uuidIn(params.id) ?? refuse('resource_not_found')
        const event = await findEvent(api.sql, { ...owner, id })
        if (!event || hiddenKindsOf(key).includes(event.kind)) return refuse('resource_not_found')
        return { status: 200, body: eventRecord.render(event) }
      },
    },
  ),
]

/** Members read all events. */
const hiddenKindsOf = (key: KeyCaller | undefined): readonly string[] => (key ? hiddenFrom(key.scopes) : [])
