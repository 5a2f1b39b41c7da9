import type { Locale } from '../../web/text/locale.ts'
import { type Html, html } from '../html.ts'
import { NBSP } from './amounts.ts'

const languages: Readonly<Record<Locale, string>> = { en: 'en-US', de: 'de-DE' }

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (locale: Locale, name: keyof typeof options): Intl.DateTimeFormat => {
  const key = `${locale} ${name}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(languages[locale], { timeZone: 'UTC', ...options[name] })
  formats.set(key, format)
  return format
}

/** The browser formats the same way, in the time zone of the customer: src/web/pay/times.ts. */
const options = {
  clock: { hour: 'numeric', minute: '2-digit' },
  day: { dateStyle: 'medium', timeStyle: 'short' },
  full: { dateStyle: 'medium', timeStyle: 'medium' },
} satisfies Record<string, Intl.DateTimeFormatOptions>

/** In UTC, because the time zone of the customer is not known to the server. */
export const utc = (date: Date, locale: Locale, format: keyof typeof options): string =>
  `${formatOf(locale, format)
    .format(date)
    .replace(/[ \u202f](?=[AP]M)/g, NBSP)}${NBSP}UTC`

/** A time of the day, with the date if it is another day than `now`. The script of the page shows it in local time. */
export const clockTime = (date: Date, now: Date, locale: Locale): Html =>
  moment(date, locale, date.toISOString().slice(0, 10) === now.toISOString().slice(0, 10) ? 'clock' : 'day')

export const fullTime = (date: Date, locale: Locale): Html => moment(date, locale, 'full')

const moment = (date: Date, locale: Locale, format: keyof typeof options): Html =>
  html`<time class="num" datetime="${date.toISOString()}" data-time="${format}">${utc(date, locale, format)}</time>`
