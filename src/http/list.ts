import { type } from 'arktype'
import { refuse } from '../errors.ts'

/** What every list takes; a route adds its filters by `listQuery.and(…)` or `listQuery.merge(…)`. */
export const listQuery = type({
  limit: type('/^[1-9]\\d{0,2}$/').pipe(Number).to('1 <= number.integer <= 100').default('20'),
  'startingAfter?': 'string <= 100',
  order: type("'asc' | 'desc'").default('desc'),
})

/** `livemode=true|false`, test mode unless told otherwise. */
export const livemodeQuery = type({
  livemode: type("'true' | 'false'")
    .pipe(text => text === 'true')
    .default('false'),
})

/** A page of rows that were asked for with a limit of one more, so that it is known whether there is another page. */
export const listOf = <Row, Rec>(rows: readonly Row[], limit: number, recordOf: (row: Row) => Rec) => ({
  object: 'list' as const,
  data: rows.slice(0, limit).map(recordOf),
  has_more: rows.length > limit,
})

/** The cursor as an id; one that is malformed is refused as an unknown one is. */
export const readCursor = <T>(
  startingAfter: string | undefined,
  decode: (text: string) => T | undefined,
): T | undefined =>
  startingAfter === undefined
    ? undefined
    : (decode(startingAfter) ?? refuse('invalid_cursor', { param: 'startingAfter' }))
