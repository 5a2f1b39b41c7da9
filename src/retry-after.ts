/**
 * The seconds that a Retry-After header asks for, in seconds or as a date, at most a day; null when it says nothing
 * that can be understood.
 */
export const parseRetryAfter = (header: string | undefined, now: Date): number | null => {
  if (header === undefined) return null
  const text = header.trim()
  // Date.parse would take `-5` for a year.
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : httpDate.test(text)
      ? Math.ceil((Date.parse(text) - now.getTime()) / 1_000)
      : Number.NaN
  return Number.isNaN(seconds) ? null : Math.min(Math.max(0, seconds), A_DAY)
}

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

const A_DAY = 86_400
