import { readQueues } from '../../queries/ops/queues.ts'
import { opsQueueRecord } from '../../records/ops-queue.ts'
import { listQueuesDocs } from '../docs/ops-server.ts'
import { forOperators, type Route } from '../route.ts'
import { wholeListOf } from './whole-list.ts'

export const queueRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/queues',
      docs: listQueuesDocs,
      handle: async ({ sql }) => ({ status: 200, body: wholeListOf(await readQueues(sql), opsQueueRecord.render) }),
    },
  ),
]
