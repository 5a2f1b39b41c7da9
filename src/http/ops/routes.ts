import type { Route } from '../route.ts'
import { opsActorRoutes } from './actors.ts'
import { auditRoutes } from './audits.ts'
import { chainRoutes } from './chains.ts'
import { opsMachineRoutes } from './machines.ts'
import { queueRoutes } from './queues.ts'
import { workerRoutes } from './workers.ts'

/** The routes for operators of the server. */
export const opsRoutes: readonly Route[] = [
  ...opsMachineRoutes,
  ...opsActorRoutes,
  ...queueRoutes,
  ...chainRoutes,
  ...workerRoutes,
  ...auditRoutes,
]
