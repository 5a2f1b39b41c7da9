import { exportsDe } from '../../text/dashboard/exports/de.ts'
import { exportsEn } from '../../text/dashboard/exports/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export const useExportsTexts = sectionTexts<Translated<typeof exportsEn>>({ en: exportsEn, de: exportsDe })
