import { encodeId } from '../../ids.ts'
import { listTransitions } from '../../queries/history.ts'
import { opsTransitionRecord } from '../../records/ops-transition.ts'
import { resources } from '../../resources.ts'
import { causeWithoutNames, reasonOf } from '../causes.ts'
import { getActorDocs, listActorTransitionsDocs } from '../docs/ops.ts'
import { historyPage, historyQuery } from '../history-page.ts'
import { listOf } from '../list.ts'
import { forOperators, type Route } from '../route.ts'
import { findActor } from './actor-id.ts'
import { viewActor } from './actor-view.ts'

export const opsActorRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/actors/:id',
      docs: getActorDocs,
      handle: async (api, { params }) => ({ status: 200, body: await viewActor(api, await findActor(api, params.id)) }),
    },
  ),

  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/actors/:id/transitions',
      docs: listActorTransitionsDocs,
      query: historyQuery,
      handle: async (api, { params, query }) => {
        const { name: kind, actor, merchantId } = await findActor(api, params.id)
        const recordId = encodeId(resources[kind].prefix, actor.id)
        const page = await historyPage(query, { recordId, rev: actor.rev })
        const rows = await listTransitions(api.sql, kind, actor.id, page)
        const body = listOf(rows, query.limit, row =>
          opsTransitionRecord.render(
            { ...row, kind, actorId: recordId, merchantId },
            { cause: causeWithoutNames(api, row.cause), reason: reasonOf(row.cause) },
          ),
        )
        return { status: 200, body }
      },
    },
  ),
]
