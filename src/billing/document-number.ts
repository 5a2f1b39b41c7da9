/** `yearly`: numbers begin with 1 in every year of issue dates. */
export type NumberRestart = 'yearly' | 'never'

type NumberPart = string | { readonly of: 'prefix' | 'year' } | { readonly of: 'number'; readonly digits: number }

export type NumberPattern = readonly NumberPart[]

export type ParsedPattern =
  | { readonly ok: true; readonly pattern: NumberPattern }
  /** `message` is about the field `numberPattern`. */
  | { readonly ok: false; readonly fault: PatternFault; readonly message: string }

export type PatternFault = keyof typeof faults

/**
 * A pattern such as `{prefix}-{year}-{number:4}`: `{number:4}` has at least 4 digits. The other characters are letters and
 * digits of ASCII and `- _ . / #`: a number is part of file names, and it is inserted into the JSON that is hashed.
 */
export const parseNumberPattern = (text: string, restart: NumberRestart): ParsedPattern => {
  const pattern = [...text.matchAll(token)].map(([part, digits]) => partOf(part, digits))
  if (!isComplete.test(text)) return invalid('characters')
  if (countIn(pattern, 'number') !== 1) return invalid('number')
  if (restart === 'yearly' && countIn(pattern, 'year') === 0) return invalid('year')
  return { ok: true, pattern }
}

const faults = {
  characters: 'can contain {prefix}, {year}, {number} or {number:4}, letters, digits and - _ . / #',
  number: 'must contain {number} once',
  year: 'must contain {year} if numbers restart every year',
}

const invalid = (fault: PatternFault): ParsedPattern => ({
  ...{ ok: false, fault, message: `numberPattern ${faults[fault]}.` },
})

const token = /\{(?:prefix|year|number(?::([1-9]|1[0-2]))?)\}|[\w./#-]+/g
const isComplete = new RegExp(`^(?=.{1,60}$)(?:${token.source})+$`)

const partOf = (part: string, digits: string | undefined): NumberPart => {
  if (!part.startsWith('{')) return part
  const name = part.slice(1, -1)
  return name === 'prefix' || name === 'year' ? { of: name } : { of: 'number', digits: Number(digits ?? 1) }
}

const countIn = (pattern: NumberPattern, name: 'year' | 'number'): number =>
  pattern.filter(part => typeof part === 'object' && part.of === name).length

/** The prefix of a kind of documents, such as `INV`. */
export const isNumberPrefix = (text: string): boolean => /^[\w./#-]{1,20}$/.test(text)

export type NumberedDocument = {
  readonly pattern: NumberPattern
  readonly prefix: string
  /** `YYYY-MM-DD`. Its year is the year of the number. */
  readonly issueDate: string
  readonly number: number
  readonly livemode: boolean
  /** The ID of the test clock, whose documents have numbers of their own. */
  readonly testClockId: string | null
}

/** `INV-2026-0001`, in test mode `TEST-INV-2026-0001`, and of a test clock `TEST-0qqnf7-INV-2026-0001`. */
export const renderNumber = (document: NumberedDocument): string => {
  const { pattern, number, livemode, testClockId } = document
  const values = { prefix: document.prefix, year: yearOf(document.issueDate) }
  const text = pattern.map(part => {
    if (typeof part === 'string') return part
    return part.of === 'number' ? String(number).padStart(part.digits, '0') : values[part.of]
  })
  const mode = livemode ? [] : testClockId === null ? ['TEST-'] : [`TEST-${testClockId.slice(-6)}-`]
  return [...mode, ...text].join('')
}

/** The year of the series that a document is numbered in; null if numbers never restart. */
export const seriesYear = (restart: NumberRestart, issueDate: string): number | null =>
  restart === 'yearly' ? Number(yearOf(issueDate)) : null

const yearOf = (day: string): string => day.slice(0, 4)
