import type { Locale, Translated } from '../locale.ts'
import { welcomeDe } from './de.ts'
import { welcomeEn } from './en.ts'

export const welcomeTexts = (locale: Locale): Translated<typeof welcomeEn> => ({ en: welcomeEn, de: welcomeDe })[locale]
