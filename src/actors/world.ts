import type { Outside } from '../outside.ts'
import type { Actors } from './actors.ts'

/** The outside, and the door to every actor: what commands, routes and tasks are given. */
export type World = Outside & { readonly actors: Actors }
