import { type } from 'arktype'
import { startOfDay } from '../analytics/buckets.ts'
import { isDay } from '../billing/days.ts'

/** Nothing happened before. Of earlier times the first ones cannot be written in the database. */
const FIRST_YEAR = '1970'
/** Its last day ends in a year with five digits. */
const TOO_LATE_YEAR = '9999'

/** A time in ISO 8601 and UTC, with or without milliseconds. */
export const moment = () => type('string').narrow(isMoment).configure({ format: 'date-time' })

const isMoment = (text: string): boolean => {
  const time = new Date(utc.test(text) ? text : Number.NaN)
  // Refuses 30 February, which some runtimes read as 2 March.
  return text >= FIRST_YEAR && !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 19) === text.slice(0, 19)
}

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

/** A day in a time zone, or a time. */
export const dayOrTime = () =>
  type('string').narrow(text => (isDay(text) || isMoment(text)) && text >= FIRST_YEAR && text < TOO_LATE_YEAR)

/** When a day begins, or a time. */
export const momentOf = (timeZone: string, dayOrTime: string): Date =>
  isDay(dayOrTime) ? startOfDay(timeZone, dayOrTime) : new Date(dayOrTime)
