import { type } from 'arktype'
import { boundedText, hasLength } from './text.ts'

/** Key-value pairs of the merchant. The server does not use them. */
export const metadata = () => type({ '[string]': boundedText(0, 200) }).narrow(isMetadata)

// With one parameter only: for a rule with two, arktype prepares an error context for every value.
const isMetadata = (texts: object): boolean => {
  if (Array.isArray(texts)) return false
  const names = Object.keys(texts)
  return names.length <= 20 && names.every(isName) && fits(texts)
}

const isName = (name: string): boolean => hasLength(name, 1, 40)

/** The size as it is stored. */
const fits = (texts: object): boolean => Buffer.byteLength(JSON.stringify(texts)) <= 4_096
