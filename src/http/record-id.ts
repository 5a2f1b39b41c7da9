import { type } from 'arktype'
import { refuse } from '../errors.ts'
import { decodeId, type Prefix } from '../ids.ts'
import type { RecordName } from '../queries/named.ts'

/** The id of a record that a list is to be about. Of one that does not exist the list is empty. */
export const recordId = (prefix: Prefix) =>
  type('string').pipe((text, ctx) => decodeId(prefix, text) ?? ctx.error(`an id that begins with ${prefix}_`))

/** The record that a path names. What is no id names none. */
export const recordName = (
  prefix: Prefix,
  { params, whose }: { readonly params: { readonly id: string }; readonly whose: Omit<RecordName, 'id'> },
): RecordName => ({ ...whose, id: decodeId(prefix, params.id) ?? refuse('resource_not_found') })

/** The id of what keeps its UUID on the wire: as it was written, and none of its other spellings that Postgres would take. */
export const uuidIn = (id: string): string | undefined =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : undefined
