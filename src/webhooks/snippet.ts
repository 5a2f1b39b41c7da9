/**
 * The beginning of an answer as a person may read it, on one line: no control characters, nothing that turns the
 * direction of text around, and nothing that Postgres would not store. Null when there is nothing to read.
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

/** Also what has no character yet, and halves of pairs. */
const unreadable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu

const decoder = new TextDecoder()

/** Not through the middle of a character. */
const cut = (text: string): string => {
  if (text.length <= MOST_CHARACTERS) return text
  const last = text.charCodeAt(MOST_CHARACTERS - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? MOST_CHARACTERS - 1 : MOST_CHARACTERS)
}
