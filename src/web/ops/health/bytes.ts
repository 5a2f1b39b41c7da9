import type { Locale } from '../../text/locale.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** In the largest unit that leaves a whole number: `734 MB`. A unit is 1,000 of the one before. */
export const formatBytes = (locale: Locale, bytes: number): string => {
  const place = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit: units[place], maximumSignificantDigits: 3 })
  return format.format(bytes / 1_000 ** place)
}
