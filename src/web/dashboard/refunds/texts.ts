import { refundsDe } from '../../text/dashboard/refunds/de.ts'
import { refundsEn } from '../../text/dashboard/refunds/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type RefundTexts = Translated<typeof refundsEn>

export const useRefundTexts = sectionTexts<RefundTexts>({ en: refundsEn, de: refundsDe })
