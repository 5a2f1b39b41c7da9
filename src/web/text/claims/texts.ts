import type { Locale, Translated } from '../locale.ts'
import { claimsDe } from './de.ts'
import { claimsEn } from './en.ts'

export type ClaimsTexts = Translated<typeof claimsEn>

export const claimsTexts = (locale: Locale): ClaimsTexts => ({ en: claimsEn, de: claimsDe })[locale]
