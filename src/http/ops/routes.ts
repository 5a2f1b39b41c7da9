import type { Route } from '../route.ts'
import { opsActorRoutes } from './actors.ts'
import { opsMachineRoutes } from './machines.ts'

/** The routes for operators of the server. */
export const opsRoutes: readonly Route[] = [...opsMachineRoutes, ...opsActorRoutes]
