import { type } from 'arktype'
import { isWithin, textOf } from './text.ts'

/** What a merchant keeps with a record: texts by name, which nobody here reads. */
export const metadata = () => type({ '[string]': textOf(0, 200) }).narrow(isMetadata)

// Of one argument: for a rule that asks for a second one arktype gets ready to explain whatever it looks at.
const isMetadata = (texts: object): boolean => {
  if (Array.isArray(texts)) return false
  const names = Object.keys(texts)
  return names.length <= 20 && names.every(isName) && fits(texts)
}

const isName = (name: string): boolean => isWithin(name, 1, 40)

/** As it is stored. */
const fits = (texts: object): boolean => Buffer.byteLength(JSON.stringify(texts)) <= 4_096
