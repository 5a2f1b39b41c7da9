import { customersDe } from '../../text/dashboard/customers/de.ts'
import { customersEn } from '../../text/dashboard/customers/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type CustomersTexts = Translated<typeof customersEn>

export const useCustomersTexts = sectionTexts<CustomersTexts>({ en: customersEn, de: customersDe })
