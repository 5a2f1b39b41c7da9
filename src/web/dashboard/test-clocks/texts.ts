import { testClocksDe } from '../../text/dashboard/test-clocks/de.ts'
import { testClocksEn } from '../../text/dashboard/test-clocks/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export const useTestClocksTexts = sectionTexts<Translated<typeof testClocksEn>>({ en: testClocksEn, de: testClocksDe })
