import { invoicesDe } from '../../text/dashboard/invoices/de.ts'
import { invoicesEn } from '../../text/dashboard/invoices/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

/** What all pages of invoices say, and the list. */
export type InvoicesTexts = Translated<typeof invoicesEn>

export const useInvoicesTexts = sectionTexts<InvoicesTexts>({ en: invoicesEn, de: invoicesDe })
