import { plansDe } from '../../text/dashboard/plans/de.ts'
import { plansEn } from '../../text/dashboard/plans/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type PlansTexts = Translated<typeof plansEn>

export const usePlansTexts = sectionTexts<PlansTexts>({ en: plansEn, de: plansDe })
