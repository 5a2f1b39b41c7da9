import type { Locale, Translated } from '../locale.ts'
import { problemsDe } from './de.ts'
import { problemsEn } from './en.ts'

export const problemTexts = (locale: Locale): Translated<typeof problemsEn> =>
  ({ en: problemsEn, de: problemsDe })[locale]
