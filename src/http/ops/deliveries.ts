import { listWaitingEndpoints } from '../../queries/ops/endpoints.ts'
import { opsEndpointRecord } from '../../records/ops-endpoint.ts'
import { listWaitingEndpointsDocs } from '../docs/ops-server.ts'
import { listOf } from '../list.ts'
import { forOperators, type Route } from '../route.ts'

const MOST = 100

export const waitingEndpointRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/deliveries',
      docs: listWaitingEndpointsDocs,
      handle: async ({ sql }) => {
        const found = await listWaitingEndpoints(sql, MOST + 1)
        return { status: 200, body: listOf(found, MOST, opsEndpointRecord.render) }
      },
    },
  ),
]
