import { paymentDe } from '../../text/dashboard/payment/de.ts'
import { paymentEn } from '../../text/dashboard/payment/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type PaymentTexts = Translated<typeof paymentEn>

export const usePaymentTexts = sectionTexts<PaymentTexts>({ en: paymentEn, de: paymentDe })
