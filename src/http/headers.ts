import type { HeaderFields } from '../pages/answer.ts'

/**
 * Builds Headers from fields, and reuses them: nearly all responses differ from the previous one in only two fields, and
 * setting seven fields takes as long as reading a request body. The fields must not change any more. The Headers are valid
 * until the next call: a Response copies them.
 */
export const openHeaders = () => {
  let headers = new Headers()
  let last: HeaderFields = NONE
  let size = 0

  const makeAnew = (fields: HeaderFields): Headers => {
    headers = new Headers(fields)
    last = fields
    size = Object.keys(fields).length
    return headers
  }

  return (fields: HeaderFields): Headers => {
    const before = last
    // An invalid field has left the reused Headers incomplete.
    last = NONE
    let count = 0
    for (const name in fields) {
      const value = fields[name] as string
      if (!Object.hasOwn(before, name)) return makeAnew(fields)
      if (before[name] !== value) headers.set(name, value)
      count++
    }
    if (count !== size) return makeAnew(fields)
    last = fields
    return headers
  }
}

const NONE: HeaderFields = {}
