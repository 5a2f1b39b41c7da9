import { homeDe } from '../../text/dashboard/home/de.ts'
import { homeEn } from '../../text/dashboard/home/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type HomeTexts = Translated<typeof homeEn>

export const useHomeTexts = sectionTexts<HomeTexts>({ en: homeEn, de: homeDe })
