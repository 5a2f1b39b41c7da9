/**
 * Days in the time zone of the merchant, as `YYYY-MM-DD`. A day there can have 23 or 25 hours, begin at 01:00, occur twice in
 * part, or not exist.
 *
 * Built on Intl, because not all supported runtimes have Temporal.
 */

/** The name of a time zone in the IANA database, such as `Europe/Berlin`. Offsets such as `+02:00` are none. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z][\w/+-]{0,63}$/.test(name)) return false
  try {
    formatIn(name)
    return true
  } catch {
    return false
  }
}

/** Also in upper and lower case, and for former names where the runtime resolves them. */
export const isSameZone = (a: string, b: string): boolean => resolvedName(a) === resolvedName(b)

const resolvedName = (zone: string): string => (isTimeZone(zone) ? formatIn(zone).resolvedOptions().timeZone : zone)

export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOfUtc(Date.parse(text)) === text

/** The day of an instant. */
export const dayIn = (timeZone: string, at: Date): string => dayOfUtc(wallTime(timeZone, at.getTime()))

export const addDays = (day: string, days: number): string => dayOfUtc(Date.parse(day) + days * DAY)

/** The last millisecond of the day. */
export const endOfDay = (timeZone: string, day: string): Date => {
  const wall = Date.parse(day) + DAY
  const { at, before, after } = changeNear(timeZone, wall)
  // Where clocks are set back over midnight, the day continues after the next one has begun.
  return new Date((wall - after > at ? wall - after : Math.min(wall - before, at)) - 1)
}

/** The first instant at which the clocks show this time on this day, or a later one if they skip it. */
export const instantOf = (timeZone: string, day: string, hour: number): Date => {
  const wall = Date.parse(day) + hour * HOUR
  const { at, before, after } = changeNear(timeZone, wall)
  return new Date(wall - before < at ? wall - before : Math.max(wall - after, at))
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

type OffsetChange = {
  /** The instant of the change; without one, an instant around the time in question. */
  readonly at: number
  /** The offsets from UTC before and after it. */
  readonly before: number
  readonly after: number
}

/** Documents that are issued on one day have the same few days: without this, their dates take a tenth of finalizing them. */
const changes = new Map<string, OffsetChange>()
const MOST_CHANGES = 1_000

const changeNear = (timeZone: string, wall: number): OffsetChange => {
  const key = `${timeZone} ${wall}`
  const known = changes.get(key)
  if (known) return known
  const found = findChangeNear(timeZone, wall)
  if (changes.size >= MOST_CHANGES) changes.clear()
  changes.set(key, found)
  return found
}

/** The change of the offset around a time on the clocks. Zones do not change it twice within two days. */
const findChangeNear = (timeZone: string, wall: number): OffsetChange => {
  // Offsets are between −12 and +14 hours.
  let [from, to] = [wall - DAY, wall + DAY]
  const offset = (at: number) => wallTime(timeZone, at) - at
  const [before, after] = [offset(from), offset(to)]
  if (before === after) return { at: wall - before, before, after }
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2)
    if (offset(middle) === before) from = middle
    else to = middle
  }
  return { at: to, before, after }
}

/** What the clocks show, as if it were UTC. */
const wallTime = (timeZone: string, at: number): number => {
  const parts: Record<string, string> = {}
  for (const { type, value } of formatIn(timeZone).formatToParts(at)) parts[type] = value
  const { year, month, day, hour, minute, second } = parts
  const shown = Date.parse(`${year?.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return shown + (((at % 1_000) + 1_000) % 1_000)
}

/** Creating one takes a hundred times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>()

const formatIn = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  })
  formats.set(timeZone, format)
  return format
}

const dayOfUtc = (at: number): string => new Date(at).toISOString().slice(0, 10)
