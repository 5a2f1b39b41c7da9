import { invoiceDe } from '../../text/dashboard/invoice/de.ts'
import { invoiceEn } from '../../text/dashboard/invoice/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export const useInvoiceTexts = sectionTexts<Translated<typeof invoiceEn>>({ en: invoiceEn, de: invoiceDe })
