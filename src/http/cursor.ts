import { refuse } from '../errors.ts'
import type { Page } from '../queries/page.ts'
import { readCursor } from './list.ts'

type ListQuery = { readonly startingAfter?: string; readonly limit: number; readonly order: 'asc' | 'desc' }

/** The part of a list that a query asks for. A cursor that names none of its records is refused, whatever it names else. */
export const pageOf = async (
  { startingAfter, limit, order }: ListQuery,
  decode: (text: string) => string | undefined,
  findSeq: (id: string) => Promise<string | undefined>,
): Promise<Page> => {
  const id = readCursor(startingAfter, decode)
  if (id === undefined) return { after: undefined, limit, order }
  return { after: (await findSeq(id)) ?? refuse('invalid_cursor', { param: 'startingAfter' }), limit, order }
}
