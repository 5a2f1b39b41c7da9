import type { HeaderFields } from './route.ts'

/**
 * Makes Headers of fields. Of nearly all answers they are those of the answer before but for two, and to spell seven
 * anew takes as long as to read a request's body. Nobody changes the fields any more, and the Headers are good until the
 * next are asked for: a Response takes a copy.
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
    // One that cannot be spelled leaves the others half done.
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
