/**
 * Parses a Retry-After header in seconds or as a date. Returns seconds, at most a day; null if it is missing or
 * invalid.
 */
export const parseRetryAfter = (header: string | undefined, now: Date): number | null => {
  if (header === undefined) return null
  const text = header.trim()
  // Checked by pattern, because Date.parse accepts texts such as `-5` as years.
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : httpDate.test(text)
      ? Math.ceil((Date.parse(text) - now.getTime()) / 1_000)
      : Number.NaN
  return Number.isNaN(seconds) ? null : Math.min(Math.max(0, seconds), A_DAY)
}

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

const A_DAY = 86_400
