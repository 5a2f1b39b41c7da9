/** As the server formats them, in the time zone of the customer: src/pages/checkout/moments.ts. */
const formats: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  clock: { hour: 'numeric', minute: '2-digit' },
  day: { dateStyle: 'medium', timeStyle: 'short' },
  full: { dateStyle: 'medium', timeStyle: 'medium' },
}

const languages: Readonly<Record<string, string>> = { en: 'en-US', de: 'de-DE' }

const languageOf = () => languages[document.documentElement.lang] ?? 'en-US'

export const localTime = (date: Date, format: string): string =>
  new Intl.DateTimeFormat(languageOf(), formats[format]).format(date)

/** Times of the page, from UTC to the time zone of the customer. */
export const localizeTimes = (): void => {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-time]')) {
    const text = localTime(new Date(time.dateTime), time.dataset.time ?? 'full')
    if (time.textContent !== text) time.textContent = text
  }
}

/**
 * The time of the server. The clock of the customer may be wrong by a day, so only its steps are used: the page
 * has the time at which it was rendered, and a monotonic counter goes on from there.
 */
let offset = 0

export const setServerTime = (iso: string | undefined, at: number): void => {
  if (iso !== undefined) offset = Date.parse(iso) - at
}

export const serverNow = (): number => offset + performance.now()

/** Milliseconds until a time that the page names; undefined if it names none. */
export const untilTime = (iso: string | undefined): number | undefined =>
  iso === undefined ? undefined : Date.parse(iso) - serverNow()

/** The same steps as on the server: src/pages/checkout/pay.ts. */
export const leftText = (texts: Readonly<Record<string, string>>, ms: number): string => {
  const seconds = Math.floor(ms / 1_000)
  const minutes = Math.ceil(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const say = (name: string, values: Readonly<Record<string, number>> = {}) => fillIn(texts[name] ?? '', values)
  if (seconds <= 0) return say('leftNone')
  if (seconds < 120) return say('leftSeconds', { seconds })
  if (hours < 1) return say('leftMinutes', { minutes })
  if (hours < 24) return say('leftHours', { hours, minutes: minutes % 60 })
  return say('leftDays', { days: Math.floor(hours / 24), hours: hours % 24 })
}

/** Replaces `{name}` by the value of that name. */
export const fillIn = (sentence: string, values: Readonly<Record<string, string | number>>): string =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
