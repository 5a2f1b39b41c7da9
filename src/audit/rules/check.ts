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
