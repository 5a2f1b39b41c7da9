import { deliveriesDe } from '../../text/dashboard/deliveries/de.ts'
import { deliveriesEn } from '../../text/dashboard/deliveries/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type DeliveriesTexts = Translated<typeof deliveriesEn>

export const useDeliveriesTexts = sectionTexts<DeliveriesTexts>({ en: deliveriesEn, de: deliveriesDe })
