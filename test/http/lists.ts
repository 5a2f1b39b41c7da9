import { expect, test } from 'bun:test'
import type { Called } from '../harness/api.ts'
import type { Page } from './two-shops.ts'

export const idsOf = ({ data }: { readonly data: readonly { readonly id: string }[] }) => data.map(({ id }) => id)

type List = (query: string) => Promise<Page<{ readonly id: string }>>

/** A list contains exactly these ids, given oldest first: as a whole and by pages, in both orders. */
export const expectPages = async (list: List, ids: readonly string[]): Promise<void> => {
  const all = await list('')
  expect([all.object, all.has_more, idsOf(all)]).toEqual(['list', false, ids.toReversed()])
  for (const [order, wanted] of [
    ['', ids.toReversed()],
    ['&order=asc', ids],
  ] as const)
    for (const limit of [2, 3])
      for (let at = 0; at <= wanted.length; at += limit) {
        const query = `?limit=${limit}${order}${at > 0 ? `&startingAfter=${wanted[at - 1]}` : ''}`
        const page = await list(query)
        const rest = wanted.length > at + limit
        expect([query, page.has_more, idsOf(page)]).toEqual([query, rest, wanted.slice(at, at + limit)])
      }
  expect(idsOf(await list(`?order=asc&startingAfter=${ids[2]}`))).toEqual(ids.slice(3))
  const end = await list(`?order=asc&startingAfter=${ids.at(-1)}`)
  expect([end.has_more, end.data]).toEqual([false, []])
}

/** None of these is a cursor of the list, and all are refused alike. */
export const expectNoCursors = async (list: (query: string) => Promise<Called>, ids: readonly string[]) => {
  for (const id of ids) {
    const { status, json } = await list(`?startingAfter=${encodeURIComponent(id)}`)
    expect([id, status, json]).toMatchObject([id, 400, { error: { code: 'invalid_cursor', param: 'startingAfter' } }])
  }
}

type RefusedQuery = [query: string, code: string, param: string]

/** A test for each query that no list accepts from a key, and for each that this list does not accept. */
export const testRefusedQueries = (list: (query: string) => Promise<Called>, own: readonly RefusedQuery[]): void =>
  test.each([...refusedByAll, ...own])('400: %s', async (query, code, param) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, json: { error: { code, param } } })
  })

const refusedByAll: readonly RefusedQuery[] = [
  ['limit=', 'parameter_invalid', 'limit'],
  ['limit=0', 'parameter_invalid', 'limit'],
  ['limit=101', 'parameter_invalid', 'limit'],
  ['limit=1.5', 'parameter_invalid', 'limit'],
  ['order=up', 'parameter_invalid', 'order'],
  ['livemode=true', 'parameter_unknown', 'livemode'],
  ['starting_after=x', 'parameter_unknown', 'starting_after'],
  ['startingAfter=', 'invalid_cursor', 'startingAfter'],
  ['startingAfter=x', 'invalid_cursor', 'startingAfter'],
  [`startingAfter=${'x'.repeat(101)}`, 'invalid_cursor', 'startingAfter'],
  ['startingAfter=%00', 'invalid_cursor', 'startingAfter'],
  ['startingAfter=a%00', 'invalid_cursor', 'startingAfter'],
  ['startingAfter=%ED%A0%80', 'invalid_cursor', 'startingAfter'],
  ['startingAfter=x&startingAfter=x', 'parameter_invalid', 'startingAfter'],
]

/** Queries that no list with a search accepts. */
export const refusedSearches: readonly RefusedQuery[] = [
  ['q=', 'parameter_invalid', 'q'],
  [`q=${'x'.repeat(201)}`, 'parameter_invalid', 'q'],
  ['q=a%00b', 'parameter_invalid', 'q'],
  ['q=abc&q=abd', 'parameter_invalid', 'q'],
  ['createdAfter=', 'parameter_invalid', 'createdAfter'],
  ['createdAfter=yesterday', 'parameter_invalid', 'createdAfter'],
  ['createdAfter=2026-02-30T00:00:00Z', 'parameter_invalid', 'createdAfter'],
  ['createdAfter=2026-11-20', 'parameter_invalid', 'createdAfter'],
  ['createdAfter=0000-01-01T00:00:00Z', 'parameter_invalid', 'createdAfter'],
  ['createdBefore=2026-11-20T12:00:00%2B01:00', 'parameter_invalid', 'createdBefore'],
  ['createdBefore=1795176190', 'parameter_invalid', 'createdBefore'],
]
