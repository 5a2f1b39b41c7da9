import { refuse } from '../../errors.ts'
import { encodeId } from '../../ids.ts'
import { listTransitions } from '../../queries/history.ts'
import { findOpsActor } from '../../queries/ops/actors.ts'
import { opsTransitionRecord } from '../../records/ops-transition.ts'
import { resources } from '../../resources.ts'
import { causeWithoutNames } from '../causes.ts'
import { listActorTransitionsDocs } from '../docs/ops.ts'
import { historyPage, historyQuery } from '../history-page.ts'
import { listOf } from '../list.ts'
import { forOperators, type Route } from '../route.ts'
import { decodeActorId } from './actor-id.ts'

export const opsActorRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/actors/:id/transitions',
      docs: listActorTransitionsDocs,
      query: historyQuery,
      handle: async (api, { params, query }) => {
        const { kind, id } = decodeActorId(params.id) ?? refuse('resource_not_found')
        const found = (await findOpsActor(api.sql, kind, id)) ?? refuse('resource_not_found')
        const recordId = encodeId(resources[kind].prefix, id)
        const page = await historyPage(query, { recordId, rev: found.rev })
        const rows = await listTransitions(api.sql, kind, id, page)
        const body = listOf(rows, query.limit, row =>
          opsTransitionRecord.render(
            { ...row, kind, actorId: recordId, merchantId: found.merchant_id },
            causeWithoutNames(api, row.cause),
          ),
        )
        return { status: 200, body }
      },
    },
  ),
]
