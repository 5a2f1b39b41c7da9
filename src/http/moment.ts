import { type } from 'arktype'

/** A time as times are written everywhere: ISO 8601, UTC, with milliseconds or without. */
export const moment = () =>
  type('string')
    .narrow(text => {
      const time = new Date(utc.test(text) ? text : Number.NaN)
      // Not the 30th of February, which some runtimes take for the 2nd of March.
      return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 19) === text.slice(0, 19)
    })
    .configure({ format: 'date-time' })

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/
