import type { Locale } from './locale.ts'

/** How values are written in a language. Times are in the time zone of the reader. */
export type Formats = {
  /** Minor units of a currency: 4900 USD is `$49.00`, −4900 is `−$49.00`. */
  money(amountMinor: number, currency: string): string
  /** Atomic units of an asset: 49000000 with 6 decimals is `49.00 USDC`. The number does not leave its unit. */
  units(amount: string | bigint, asset: { readonly asset: string; readonly decimals: number }): string
  count(value: number): string
  /** A number that is a decimal string, such as a quantity or a price, with all of its digits. */
  decimal(text: string): string
  /** A share: 0.031 is `3.1%`. */
  share(value: number): string
  /** `Nov 25, 2026` */
  date(at: Instant): string
  /** A day without a time zone, such as `2026-11-25`. */
  day(day: string): string
  /** `2:32 PM` */
  time(at: Instant): string
  /** `14:32:05.123`, for what happens many times a second. */
  instant(at: Instant): string
  /** `Nov 25, 2026, 2:32:05 PM`, for tables and details. */
  exact(at: Instant): string
  /** `Nov 25, 2:32 PM`, for lists: with the year only if it is another. */
  listed(at: Instant, now: Date): string
  /** `4 minutes ago`, `in 2 days` */
  relative(at: Instant, now: Date): string
  /** In the largest unit that leaves two digits: `120 ms`, `26 s`, `21 min`. */
  duration(ms: number): string
}

/** A time, or a range of days, that is not broken between two lines. Engines differ in the spaces around a dash. */
export const unbroken = (time: string): string => time.replaceAll(/\s/g, '\u00a0').replaceAll('–', '\u2060–\u2060')

/** Of the width of a plus sign and of digits, which a hyphen is not. */
const MINUS = '−'

export type Instant = Date | string | number

export const formatsOf = (locale: Locale, timeZone?: string): Formats => {
  // Each is made at its first use: together they take longer than a page of a list.
  const moments = (options: Intl.DateTimeFormatOptions) => {
    const format = once(
      () => new Intl.DateTimeFormat(locale, { ...options, ...(timeZone !== undefined && { timeZone }) }),
    )
    // Engines differ in the space before AM and PM, and some fonts do not have the narrow one.
    return (at: Instant) =>
      format()
        .format(new Date(at))
        .replace(/\s(?=[AP]M)/, '\u00a0')
  }
  const currencies = new Map<string, Currency>()
  const currencyOf = (currency: string) => {
    const known = currencies.get(currency) ?? currencyIn(locale, currency)
    currencies.set(currency, known)
    return known
  }
  const separator = once(
    () => new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.',
  )
  const counts = once(() => new Intl.NumberFormat(locale))
  const numbers = once(() => new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }))
  const shares = once(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }))
  const relatives = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
  const days = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }))
  const listed = moments({ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
  const dated = moments({ dateStyle: 'medium', timeStyle: 'short' })
  return {
    money: (amountMinor, currency) => {
      const { format, digits } = currencyOf(currency)
      // As text: a number cannot hold 2^53−1 minor units with their fraction.
      return format.format(decimal(BigInt(amountMinor), digits) as `${number}`).replace('-', MINUS)
    },
    units: (amount, { asset, decimals }) => {
      const [whole = '0', fraction = ''] = decimal(BigInt(amount), decimals).split('.')
      const digits = fraction.replace(/0+$/, '').padEnd(Math.min(2, decimals), '0')
      return `${counts().format(BigInt(whole))}${digits && separator() + digits}\u00a0${asset}`
    },
    count: value => counts().format(value),
    decimal: text => numbers().format(text as `${number}`),
    share: value => shares().format(value),
    date: moments({ dateStyle: 'medium' }),
    day: day => days().format(new Date(day)),
    time: moments({ timeStyle: 'short' }),
    instant: moments({
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' },
    }),
    exact: moments({ dateStyle: 'medium', timeStyle: 'medium' }),
    listed: (at, now) => (new Date(at).getFullYear() === now.getFullYear() ? listed(at) : dated(at)),
    relative: (at, now) => {
      const seconds = (new Date(at).getTime() - now.getTime()) / 1_000
      const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
      return relatives().format(Math.trunc(seconds / length), unit)
    },
    duration: ms => {
      const [unit, length] = spans.findLast(([, length]) => ms >= 2 * length) ?? spans[0]
      return new Intl.NumberFormat(locale, {
        ...{ style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 0 },
      }).format(ms / length)
    },
  }
}

/** Makes a value when it is needed first, and keeps it. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

type Currency = { readonly format: Intl.NumberFormat; readonly digits: number }

const currencyIn = (locale: Locale, currency: string): Currency => {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency })
  return { format, digits: format.resolvedOptions().maximumFractionDigits ?? 2 }
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

const spans = [
  ['millisecond', 1],
  ['second', 1_000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
] as const

/** `4900n` with two digits is `49.00`. */
const decimal = (amount: bigint, digits: number): string => {
  const text = String(amount < 0n ? -amount : amount).padStart(digits + 1, '0')
  const at = text.length - digits
  return `${amount < 0n ? '-' : ''}${text.slice(0, at)}${digits > 0 ? `.${text.slice(at)}` : ''}`
}
