import { analyticsDe } from '../../text/dashboard/analytics/de.ts'
import { analyticsEn } from '../../text/dashboard/analytics/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type AnalyticsTexts = Translated<typeof analyticsEn>

export const useAnalyticsTexts = sectionTexts<AnalyticsTexts>({ en: analyticsEn, de: analyticsDe })
