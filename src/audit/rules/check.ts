import type { Sql } from '../../postgres/connect.ts'
import type { Fragment } from '../../queries/list-rows.ts'

/** A broken invariant, with an example. */
export type Finding = {
  /** Number of the invariant: `I1` to `I9`. */
  readonly invariant: string
  readonly what: string
  /** Number of breaches. `example` is the ID of the first one. */
  readonly count: number
  readonly example: string
}

/** A query that returns no rows as long as the invariant holds. */
export type Check = {
  readonly invariant: string
  readonly what: string
} & (
  | {
      /** Rows with one column: the `id` of each breach. */
      readonly breaches: (sql: Sql) => Fragment
    }
  | {
      /** The same, for an invariant that a query alone cannot check. */
      readonly find: (sql: Sql) => AsyncIterable<string>
    }
)

/** A check that can also be made for a part: some actors. */
export type PartCheck = {
  readonly invariant: string
  readonly what: string
  readonly breaches: (sql: Sql, part?: Part) => Fragment
}

/** The UUIDs of the actors. */
export type Part = readonly string[]

/** Whether an actor is in the part. Without a part all are. */
export const isIn = (sql: Sql, part: Part | undefined, actor: Fragment): Fragment =>
  part ? sql`${actor} = any(${[...part]}::uuid[])` : sql`true`
