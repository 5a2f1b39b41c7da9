import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Sql } from './postgres/connect.ts'

/**
 * What the program is given from outside. Nothing below reads the wall clock, draws randomness or
 * opens a connection of its own, so a test or a simulation only has to give another one.
 */
export type Outside = {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Fills the array with random bytes. */
export type Random = (bytes: Uint8Array) => Uint8Array
