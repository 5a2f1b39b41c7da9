/**
 * The beginning of a response as one line of readable text: without control characters, characters that change the
 * direction of text, and characters that Postgres cannot store. Null if nothing is left.
 */
export const snippetOf = (body: Uint8Array, encoding: string | undefined): string | null => {
  if (body.length === 0 || (encoding !== undefined && encoding.toLowerCase() !== 'identity')) return null
  const text = decoder
    .decode(body.subarray(0, 4 * MOST_CHARACTERS))
    .replace(/\s+/g, ' ')
    .replace(unreadable, '')
    .trim()
  return cut(text) || null
}

const MOST_CHARACTERS = 1_000

/** Includes unassigned code points and unpaired surrogates. */
const unreadable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu

const decoder = new TextDecoder()

/** Does not cut a surrogate pair. */
const cut = (text: string): string => {
  if (text.length <= MOST_CHARACTERS) return text
  const last = text.charCodeAt(MOST_CHARACTERS - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? MOST_CHARACTERS - 1 : MOST_CHARACTERS)
}
