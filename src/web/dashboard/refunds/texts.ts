import { paymentDe } from '../../text/dashboard/payment/de.ts'
import { paymentEn } from '../../text/dashboard/payment/en.ts'
import { refundsDe } from '../../text/dashboard/refunds/de.ts'
import { refundsEn } from '../../text/dashboard/refunds/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

const en = { ...refundsEn, causes: paymentEn.history.causes }

export type RefundTexts = Translated<typeof en>

export const useRefundTexts = sectionTexts<RefundTexts>({ en, de: { ...refundsDe, causes: paymentDe.history.causes } })
