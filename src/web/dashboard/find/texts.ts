import { findDe } from '../../text/dashboard/find/de.ts'
import { findEn } from '../../text/dashboard/find/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export const useFindTexts = sectionTexts<Translated<typeof findEn>>({ en: findEn, de: findDe })
