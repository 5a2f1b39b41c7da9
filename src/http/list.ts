import { type Type, type } from 'arktype'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import type { Sql } from '../postgres/connect.ts'
import type { CommonFilter } from '../queries/list-filters.ts'
import { findCursorSeq, type ListOwner } from '../queries/list-rows.ts'
import type { Page, PageFrom } from '../queries/page.ts'
import { type ListedName, resources } from '../resources.ts'
import { moment } from './moment.ts'
import { uuidIn } from './record-id.ts'
import type { Parsed } from './route.ts'
import { boundedText } from './text.ts'

/** The parameters of every list; a route adds its filters with `listQuery().and(…)` or `listQuery().merge(…)`. */
export const listQuery = () =>
  type({
    limit: type('/^[1-9]\\d{0,2}$/').pipe(Number).to('1 <= number.integer <= 100').default('20'),
    'startingAfter?': 'string',
    order: type("'asc' | 'desc'").default('desc'),
  })

/** `livemode=true|false`. Default: test mode. */
export const livemodeQuery = () =>
  type({
    livemode: type("'true' | 'false'")
      .pipe(text => text === 'true')
      .default('false'),
  })

/** For a list of both modes: it accepts `livemode`, as every list of a merchant does, and ignores it. */
export const bothModesQuery = () => listQuery().and({ 'livemode?': "'true' | 'false'" })

/** The filters of the lists that can be searched. A status may be repeated. */
export const searchQuery = <Status extends Type<string>>(status: () => Status) =>
  type({
    'status?': status().array().atMostLength(10),
    'q?': boundedText(1, 200),
    'createdAfter?': moment(),
    'createdBefore?': moment(),
  })

type SearchQuery = {
  readonly status?: readonly string[]
  readonly q?: string
  readonly createdAfter?: string
  readonly createdBefore?: string
}

export const commonFilterOf = ({ status, q, createdAfter, createdBefore }: SearchQuery): CommonFilter => ({
  statuses: status && [...new Set(status)],
  search: q,
  createdAfter: createdAfter === undefined ? undefined : new Date(createdAfter),
  createdBefore: createdBefore === undefined ? undefined : new Date(createdBefore),
})

/** A page. The rows were read with a limit of one more, which shows whether there is another page. */
export const listOf = <Row, Rec>(rows: readonly Row[], limit: number, recordOf: (row: Row) => Rec) => ({
  object: 'list' as const,
  data: rows.slice(0, limit).map(recordOf),
  has_more: rows.length > limit,
})

type ListQuery = Parsed<typeof listQuery>

/** The requested part of a list. A cursor that is not the ID of an object in this list is refused. */
export const pageOf = async <Start>(
  { startingAfter, limit, order }: ListQuery,
  decode: (text: string) => string | undefined,
  find: (id: string) => Promise<Start | undefined>,
): Promise<PageFrom<Start>> => {
  if (startingAfter === undefined) return { after: undefined, limit, order }
  const id = decode(startingAfter)
  const after = id === undefined ? undefined : await find(id)
  return { after: after ?? refuse('invalid_cursor', { param: 'startingAfter' }), limit, order }
}

/** The same for a resource that is listed by `seq`. */
export const placedPage = (sql: Sql, name: ListedName, owner: ListOwner, query: ListQuery): Promise<Page> => {
  const { prefix, table } = resources[name]
  const decode = (id: string) => (prefix === null ? uuidIn(id) : decodeId(prefix, id))
  return pageOf(query, decode, id => findCursorSeq(sql, table, owner, id))
}
