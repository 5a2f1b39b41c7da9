import type { Dependencies } from '../dependencies.ts'
import type { Actors } from './actors.ts'

/** What commands, routes and tasks are given: the dependencies, and the actors to dispatch commands to. */
export type Services = Dependencies & { readonly actors: Actors }
