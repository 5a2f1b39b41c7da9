import { type } from 'arktype'

/**
 * A text of so many characters, as people count them, Postgres does (`length`), and the document says
 * (`maxLength`): an emoji is one, though it is two units of a JavaScript text.
 */
export const textOf = (least: number, most: number) => bounded(least, most, value => isWithin(value, least, most))

/**
 * The same of a text that a person types and others read: a name, title, description, reference or piece of evidence.
 * Bidirectional controls are refused, because they reorder the text that follows: an amount, or the address of a link.
 */
export const shownText = (least: number, most: number) =>
  bounded(least, most, value => isWithin(value, least, most) && !/\p{Bidi_Control}/u.test(value))

const bounded = (least: number, most: number, fits: (value: string) => boolean) => {
  lengths.set(fits, { ...(least > 0 && { minLength: least }), maxLength: most })
  return type('string').narrow(fits)
}

export type Lengths = { readonly minLength?: number; readonly maxLength: number }

/** What a rule says of lengths, if it was made here: the document cannot read it from a function. */
export const lengthsIn = (rule: unknown): Lengths | undefined => lengths.get(rule)

const lengths = new Map<unknown, Lengths>()

/** Nearly always the units say it: there are as many characters at most, and half as many at least. */
export const isWithin = (value: string, least: number, most: number): boolean => {
  if (value.length < least || value.length > 2 * most) return false
  if (value.length <= most && value.length >= 2 * least) return true
  let characters = 0
  for (const _ of value) characters++
  return characters >= least && characters <= most
}

/** What people call a thing of theirs, such as a merchant or a key. Blanks around it are no part of it. */
export const givenName = () => type('string.trim').to(shownText(1, 200))
