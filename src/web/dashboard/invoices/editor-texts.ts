import { invoiceEditorDe } from '../../text/dashboard/invoice-editor/de.ts'
import { invoiceEditorEn } from '../../text/dashboard/invoice-editor/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type InvoiceEditorTexts = Translated<typeof invoiceEditorEn>

export const useInvoiceEditorTexts = sectionTexts<InvoiceEditorTexts>({ en: invoiceEditorEn, de: invoiceEditorDe })
