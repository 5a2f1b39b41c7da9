import type { Translated } from '../../locale.ts'
import type { invoiceEn } from './en.ts'

/** The same in German. */
export const invoiceDe: Translated<typeof invoiceEn> = {
  details: 'Einzelheiten',
}
