import { type } from 'arktype'
import { encodeId } from '../../ids.ts'
import { findPlace, listFeed, type TransitionFilter } from '../../queries/ops/transitions.ts'
import { kindName, opsTransitionRecord } from '../../records/ops-transition.ts'
import { resources } from '../../resources.ts'
import { causeWithoutNames, reasonOf } from '../causes.ts'
import { listTransitionsDocs, streamTransitionsDocs } from '../docs/ops.ts'
import { listOf, listQuery, pageOf } from '../list.ts'
import { recordId } from '../record-id.ts'
import { forOperators, type Parsed, type Route } from '../route.ts'
import { boundedText } from '../text.ts'
import { STREAM_HEADERS } from '../text-stream.ts'
import { decodeActorId } from './actor-id.ts'

const actorId = () => type('string').pipe((text, ctx) => decodeActorId(text)?.id ?? ctx.error('an id of an actor'))

const filters = () =>
  type({
    'kind?': kindName(),
    'event?': boundedText(1, 100),
    'state?': boundedText(1, 100),
    'actor?': actorId(),
    'merchantId?': recordId('mer'),
  })

const query = () => listQuery().and(filters())

const filterOf = ({ kind, event, state, actor, merchantId }: Parsed<typeof filters>): TransitionFilter => ({
  ...{ kind, event, state, actor, merchantId },
})

/** The UUID and the number of `<id of the actor>:<rev>`. */
const placeOf = (cursor: string) => {
  const [, id = '', rev = ''] = /^(\w+):([1-9]\d{0,8})$/.exec(cursor) ?? []
  const actor = decodeActorId(id)?.id
  return actor === undefined ? undefined : `${actor}:${rev}`
}

export const opsTransitionRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/transitions',
      docs: listTransitionsDocs,
      query,
      handle: async (api, { query }) => {
        const page = await pageOf(query, placeOf, place => {
          const [actor = '', rev] = place.split(':')
          return findPlace(api.sql, actor, Number(rev))
        })
        const { rows, lookedUpTo } = await listFeed(api.sql, filterOf(query), page)
        const list = listOf(rows, query.limit, ({ actor, merchant_id, ...row }) =>
          opsTransitionRecord.render(
            { ...row, actorId: encodeId(resources[row.kind].prefix, actor), merchantId: merchant_id },
            { cause: causeWithoutNames(api, row.cause), reason: reasonOf(row.cause) },
          ),
        )
        if (!lookedUpTo) return { status: 200, body: { ...list, continueAfter: null } }
        const { kind, actor, rev } = lookedUpTo
        const continueAfter = `${encodeId(resources[kind].prefix, actor)}:${rev}`
        return { status: 200, body: { ...list, has_more: true, continueAfter } }
      },
    },
  ),

  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/transitions/stream',
      docs: streamTransitionsDocs,
      query: filters,
      handle: async ({ transitionStreams }, { session, query, headers }) => {
        const { sessionId, hasSecondFactor } = session
        const reader = { sessionId, hasSecondFactor, filter: filterOf(query) }
        const text = await transitionStreams.open(reader, headers.get('last-event-id'))
        return { status: 200, text, headers: STREAM_HEADERS }
      },
    },
  ),
]
