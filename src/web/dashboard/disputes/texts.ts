import { disputesDe } from '../../text/dashboard/disputes/de.ts'
import { disputesEn } from '../../text/dashboard/disputes/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type DisputeTexts = Translated<typeof disputesEn>

export const useDisputeTexts = sectionTexts<DisputeTexts>({ en: disputesEn, de: disputesDe })
