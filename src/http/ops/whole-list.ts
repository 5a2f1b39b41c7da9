import { listOf } from '../list.ts'

/** A list without pages: there are a few queues, workers and chains. */
export const wholeListOf = <Row, Rec>(rows: readonly Row[], recordOf: (row: Row) => Rec) =>
  listOf(rows, rows.length, recordOf)
