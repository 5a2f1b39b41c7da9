import { type } from 'arktype'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { type IdPrefix, resourceRows } from '../resources.ts'

/** An ID that filters a list. If the object does not exist, the list is empty. */
export const recordId = (prefix: IdPrefix) =>
  type('string').pipe((text, ctx) => decodeId(prefix, text) ?? ctx.error(`an id that begins with ${prefix}_`))

/** The same for an object of any type. */
export const anyRecordId = () => type('string').pipe((text, ctx) => decodeAny(text) ?? ctx.error('an id of an object'))

const decodeAny = (text: string): string | undefined => {
  const prefix = resourceRows.find(({ prefix }) => prefix && text.startsWith(`${prefix}_`))?.prefix
  return prefix ? decodeId(prefix as IdPrefix, text) : undefined
}

/** The object in a path. A malformed ID is `resource_not_found`. */
export const recordKey = (
  prefix: IdPrefix,
  { params, owner }: { readonly params: { readonly id: string }; readonly owner: Omit<RecordKey, 'id'> },
): RecordKey => ({ ...owner, id: decodeId(prefix, params.id) ?? refuse('resource_not_found') })

/** A plain UUID, only in its canonical form: Postgres would accept other forms too. */
export const uuidIn = (id: string): string | undefined =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : undefined
