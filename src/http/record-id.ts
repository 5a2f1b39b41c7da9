import { type } from 'arktype'
import { decodeId, type Prefix } from '../ids.ts'

/** The id of a record that a list is to be about. Of one that does not exist the list is empty. */
export const recordId = (prefix: Prefix) =>
  type('string').pipe((text, ctx) => decodeId(prefix, text) ?? ctx.error(`an id that begins with ${prefix}_`))
