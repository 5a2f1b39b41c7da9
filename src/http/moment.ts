import { type } from 'arktype'

/** A time in ISO 8601 and UTC, with or without milliseconds. */
export const moment = () =>
  type('string')
    .narrow(text => {
      const time = new Date(utc.test(text) ? text : Number.NaN)
      // Refuses 30 February, which some runtimes read as 2 March.
      return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 19) === text.slice(0, 19)
    })
    .configure({ format: 'date-time' })

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/
