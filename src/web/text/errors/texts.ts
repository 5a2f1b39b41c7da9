import type { Code } from '../../../errors.ts'
import type { Locale } from '../locale.ts'
import { errorsDe } from './de.ts'
import { errorsEn } from './en.ts'

const languages = { en: errorsEn, de: errorsDe }

/** The sentence of an error code. A newer server may have codes that this page does not know. */
export const errorSentence = (code: string, locale: Locale): string => {
  const sentences: Readonly<Record<string, string>> = languages[locale]
  return sentences[code] ?? sentences['internal_error' satisfies Code] ?? code
}
