import { type } from 'arktype'

/**
 * A string with this number of Unicode characters, as in Postgres (`length`) and JSON Schema (`maxLength`): an emoji is one
 * character, although it is two units of a JavaScript string.
 */
export const boundedText = (least: number, most: number) => bounded(least, most, value => hasLength(value, least, most))

/**
 * The same of a text that a person types and others read: a name, title, description, reference or piece of evidence.
 * Bidirectional controls are refused, because they reorder the text that follows: an amount, or the address of a link.
 */
export const shownText = (least: number, most: number) =>
  bounded(least, most, value => hasLength(value, least, most) && !/\p{Bidi_Control}/u.test(value))

const bounded = (least: number, most: number, fits: (value: string) => boolean) => {
  lengths.set(fits, { ...(least > 0 && { minLength: least }), maxLength: most })
  return type('string').narrow(fits)
}

export type Lengths = { readonly minLength?: number; readonly maxLength: number }

/** The lengths of a rule that was created here: the API reference cannot read them from a function. */
export const lengthsIn = (rule: unknown): Lengths | undefined => lengths.get(rule)

const lengths = new Map<unknown, Lengths>()

/** The number of units is usually enough: it is at least the number of characters, and at most twice that number. */
export const hasLength = (value: string, least: number, most: number): boolean => {
  if (value.length < least || value.length > 2 * most) return false
  if (value.length <= most && value.length >= 2 * least) return true
  let characters = 0
  for (const _ of value) characters++
  return characters >= least && characters <= most
}

/** The name of a merchant or a key. Surrounding spaces are removed. */
export const givenName = () => type('string.trim').to(shownText(1, 200))
