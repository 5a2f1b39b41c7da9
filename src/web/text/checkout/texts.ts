import type { Locale } from '../locale.ts'
import { checkoutDe } from './de.ts'
import { type CheckoutTexts, checkoutEn } from './en.ts'

const languages: Readonly<Record<Locale, CheckoutTexts>> = { en: checkoutEn, de: checkoutDe }

export const checkoutTextsOf = (locale: Locale): CheckoutTexts => languages[locale]
