import { listWorkers } from '../../queries/ops/workers.ts'
import { opsWorkerRecord } from '../../records/ops-worker.ts'
import { listWorkersDocs } from '../docs/ops-server.ts'
import { forOperators, type Route } from '../route.ts'
import { wholeListOf } from './whole-list.ts'

export const workerRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/workers',
      docs: listWorkersDocs,
      handle: async ({ sql }) => ({ status: 200, body: wholeListOf(await listWorkers(sql), opsWorkerRecord.render) }),
    },
  ),
]
