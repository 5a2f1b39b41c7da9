import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Sql } from './postgres/connect.ts'

/**
 * What the program is given. Nothing below reads the wall clock, draws randomness or opens a
 * connection of its own, so a test or a simulation only has to give another world.
 */
export type World = {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Fills the array with random bytes. */
export type Random = (bytes: Uint8Array) => Uint8Array
