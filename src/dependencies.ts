import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Sql } from './postgres/connect.ts'

/**
 * What most modules are given as parameters. They do not read the wall clock, draw randomness or open connections
 * themselves, so a test or a simulation can replace each of these.
 */
export type Dependencies = {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Fills the array with random bytes. */
export type Random = (bytes: Uint8Array) => Uint8Array
