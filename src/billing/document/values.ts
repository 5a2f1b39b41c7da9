import { formatsOf } from '../../web/text/format.ts'
import type { Locale } from '../../web/text/locale.ts'
import { documentDe } from './text/de.ts'
import { documentEn } from './text/en.ts'

/** How a document writes values and texts in its language. */
export type DocumentValues = {
  readonly texts: typeof documentEn
  money(amountMinor: number): string
  /** A day or a time in UTC, as a date of the language. */
  date(day: string): string
  quantity(decimal: string): string
  /** 1900 is `19%`. */
  rate(bps: number): string
}

export const valuesIn = (locale: Locale, currency: string): DocumentValues => {
  const formats = formatsOf(locale, 'UTC')
  const rates = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  return {
    texts: locale === 'de' ? documentDe : documentEn,
    money: amountMinor => formats.money(amountMinor, currency).replace('-', '−'),
    date: day => formats.date(day),
    quantity: formats.decimal,
    rate: bps => rates.format(bps / 10_000),
  }
}
