import type { Locale, Translated } from '../locale.ts'
import { dashboardDe } from './de.ts'
import { dashboardEn } from './en.ts'

export type DashboardTexts = Translated<typeof dashboardEn>

const languages: Readonly<Record<Locale, DashboardTexts>> = { en: dashboardEn, de: dashboardDe }

export const dashboardTextsOf = (locale: Locale): DashboardTexts => languages[locale]
