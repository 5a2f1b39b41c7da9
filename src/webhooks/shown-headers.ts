import type { IncomingHttpHeaders } from 'node:http'

/** Headers of a response, by their names in lower case. */
export type ShownHeaders = Readonly<Record<string, string>>

/** The first headers of a response, as readable text. Cookies are left out, because they can be secrets. */
export const shownHeadersOf = (headers: IncomingHttpHeaders): ShownHeaders => {
  const shown: Record<string, string> = {}
  let count = 0
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || name === 'set-cookie' || name.length > MOST_CHARACTERS) continue
    if (++count > MOST_HEADERS) break
    const text = typeof value === 'string' ? value : value.join(', ')
    // The parser accepts only visible ASCII in names, and reads values as Latin-1.
    shown[name] = text.slice(0, MOST_CHARACTERS).replace(unreadable, '')
  }
  return shown
}

const MOST_HEADERS = 20
const MOST_CHARACTERS = 200

/** Postgres cannot store a null character. */
const unreadable = /[\p{Cc}\p{Cf}]/gu
