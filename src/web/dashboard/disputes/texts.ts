import { disputesDe } from '../../text/dashboard/disputes/de.ts'
import { disputesEn } from '../../text/dashboard/disputes/en.ts'
import { paymentDe } from '../../text/dashboard/payment/de.ts'
import { paymentEn } from '../../text/dashboard/payment/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

const en = { ...disputesEn, causes: paymentEn.history.causes }

export type DisputeTexts = Translated<typeof en>

export const useDisputeTexts = sectionTexts<DisputeTexts>({
  en,
  de: { ...disputesDe, causes: paymentDe.history.causes },
})
