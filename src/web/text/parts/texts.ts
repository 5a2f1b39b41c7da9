import type { Locale, Translated } from '../locale.ts'
import { partsDe } from './de.ts'
import { partsEn } from './en.ts'

export type PartTexts = Translated<typeof partsEn>

const languages: Readonly<Record<Locale, PartTexts>> = { en: partsEn, de: partsDe }

export const partTextsOf = (locale: Locale): PartTexts => languages[locale]
