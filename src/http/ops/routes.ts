import type { Route } from '../route.ts'
import { opsActorEventRoutes } from './actor-events.ts'
import { opsActorRoutes } from './actors.ts'
import { auditRoutes } from './audits.ts'
import { chainRoutes } from './chains.ts'
import { databaseRoutes } from './database.ts'
import { waitingEndpointRoutes } from './deliveries.ts'
import { inspectRoutes } from './inspect.ts'
import { opsMachineRoutes } from './machines.ts'
import { queueRoutes } from './queues.ts'
import { opsSearchRoutes } from './search.ts'
import { signerRoutes } from './signers.ts'
import { opsStoryRoutes } from './story.ts'
import { opsStuckRoutes } from './stuck.ts'
import { ticketRoutes } from './tickets.ts'
import { opsTransitionRoutes } from './transitions.ts'
import { workerRoutes } from './workers.ts'

/** The routes for operators of the server. */
export const opsRoutes: readonly Route[] = [
  ...opsMachineRoutes,
  ...opsActorRoutes,
  ...opsStoryRoutes,
  ...opsActorEventRoutes,
  ...opsSearchRoutes,
  ...opsTransitionRoutes,
  ...opsStuckRoutes,
  ...queueRoutes,
  ...chainRoutes,
  ...workerRoutes,
  ...waitingEndpointRoutes,
  ...signerRoutes,
  ...databaseRoutes,
  ...auditRoutes,
  ...ticketRoutes,
  ...inspectRoutes,
]
